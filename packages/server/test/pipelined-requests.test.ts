import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { App } from '../src/http/app.ts';
import { type Deferred, newDeferred } from '../src/lib/async/deferred.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

/** What handlers have begun, by the address that was asked for. */
let begun: string[];
let ended: string[];
/** The work of each handler. */
let work: Deferred<void>;

async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<Socket> {
  [begun, ended, work] = [[], [], newDeferred()];
  server = await startTestServer({
    ...options,
    routes: [
      (app) => {
        app.route({
          method: 'POST',
          url: '/acts/:id',
          ...testRoute,
          schema: testSchema,
          handler: async (request) => {
            begun.push(request.url);
            await work.promise;
            ended.push(request.url);
          },
        });
      },
    ],
  });
  const socket = connect(await server.listen(), '127.0.0.1');
  socket.on('error', () => undefined); // The server cuts the connection.
  return socket;
}

const requests = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `POST /acts/${n} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`,
  ).join('');

it('what one packet holds beyond the limit of a connection is not begun', async () => {
  const socket = await start({ limits: { requestsPerConnection: 4 } });
  socket.write(requests(200));
  await once(socket, 'close');
  await server.tracker.whenIdle();
  expect(begun).toEqual(['/acts/0', '/acts/1', '/acts/2', '/acts/3']);
});

it('a request behind others is dropped when its connection is cut before it has begun, and one that is alone goes on', async () => {
  const held = newDeferred();
  const waiting: string[] = [];
  const guard = (app: App): void => {
    app.addHook('onRequest', async ({ url }) => {
      waiting.push(url);
      await held.promise;
    });
  };
  const socket = await start({ guard });
  socket.write(requests(3));
  await expect.poll(() => waiting).toHaveLength(3);
  socket.destroy();
  await server.tracker.whenIdle();
  held.resolve();
  await expect.poll(() => begun).toEqual(['/acts/0']);
});

it('what has begun goes on when its connection is cut', async () => {
  const socket = await start();
  socket.write(requests(3));
  await expect.poll(() => begun).toHaveLength(3);
  socket.destroy();
  await server.tracker.whenIdle();
  work.resolve();
  await expect.poll(() => ended).toEqual(['/acts/0', '/acts/1', '/acts/2']);
});
