import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { ListenError, listenOnFreePort } from './listen.ts';

const host = '127.0.0.1';
const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function occupy(port: number): Promise<number> {
  const server: Server = createServer();
  open.push(server);
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done));
  return (server.address() as AddressInfo).port;
}

function newApp() {
  const app = fastify();
  open.push(app);
  return app;
}

describe('listenOnFreePort', () => {
  it('takes any free port for 0 and returns it', async () => {
    const app = newApp();
    const port = await listenOnFreePort(app, { host, port: 0, lastPort: 0 });
    expect(port).toBe((app.server.address() as AddressInfo).port);
  });

  it('moves up past a busy port', async () => {
    const busy = await occupy(0);
    const port = await listenOnFreePort(newApp(), { host, port: busy, lastPort: busy + 10 });
    expect(port).toBeGreaterThan(busy);
    expect(port).toBeLessThanOrEqual(busy + 10);
  });

  it('serves on the port that it moved to', async () => {
    const busy = await occupy(0);
    const app = newApp();
    app.get('/', () => 'here');
    const port = await listenOnFreePort(app, { host, port: busy, lastPort: busy + 10 });
    const response = await fetch(`http://${host}:${port}/`);
    expect(await response.text()).toBe('here');
  });

  it('refuses a busy port that was chosen, and names the option', async () => {
    const busy = await occupy(0);
    const refused = listenOnFreePort(newApp(), { host, port: busy, lastPort: busy });
    await expect(refused).rejects.toThrow(ListenError);
    await expect(refused).rejects.toThrow(
      `Port ${busy} is in use on ${host}. Stop what uses it, or name another with --port`,
    );
  });

  it('reports that every port up to the last is busy', async () => {
    const tried: number[] = [];
    const busyEverywhere = {
      listen({ port }: { port: number }) {
        tried.push(port);
        return Promise.reject(Object.assign(new Error('busy'), { code: 'EADDRINUSE' }));
      },
    };
    const refused = listenOnFreePort(busyEverywhere, { host, port: 7300, lastPort: 7310 });
    await expect(refused).rejects.toThrow(
      'Every port from 7300 to 7310 is in use on 127.0.0.1. Name a free one with --port',
    );
    expect(tried).toEqual([7300, 7301, 7302, 7303, 7304, 7305, 7306, 7307, 7308, 7309, 7310]);
  });

  it('does not move up for any other reason', async () => {
    const refused = listenOnFreePort(newApp(), { host: '192.0.2.1', port: 0, lastPort: 10 });
    await expect(refused).rejects.toThrow(
      'This machine has no address 192.0.2.1. Choose another with --host.',
    );
  });
});
