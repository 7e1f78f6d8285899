import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { newDeferred } from '../../lib/async/deferred.ts';
import { clientGone } from './client-gone.ts';

async function start(handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) {
  const app = fastify();
  app.get('/', handler);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return (app.server.address() as AddressInfo).port;
}

test('a client that disconnects before its response is gone', async () => {
  const signal = newDeferred<AbortSignal>();
  const port = await start(async (request, reply) => {
    const gone = clientGone(request, reply);
    signal.resolve(gone);
    await once(gone, 'abort');
    reply.hijack();
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const gone = await signal.promise;
  expect(gone.aborted).toBe(false);
  socket.destroy();
  await expect.poll(() => gone.aborted).toBe(true);
});

test('a client that has its response is not gone, even if it then closes its connection', async () => {
  const signals: AbortSignal[] = [];
  const closed = newDeferred();
  const port = await start(async (request, reply) => {
    signals.push(clientGone(request, reply));
    request.raw.socket.once('close', closed.resolve);
    return {};
  });
  await (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text();
  await closed.promise;
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test('a client whose answer waits for another on its connection is gone when it hangs up', async () => {
  const signals: AbortSignal[] = [];
  const port = await start(async (request, reply) => {
    const gone = clientGone(request, reply);
    signals.push(gone);
    await once(gone, 'abort');
    reply.hijack();
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(3));
  await expect.poll(() => signals.length).toBe(3);
  socket.destroy();
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});
