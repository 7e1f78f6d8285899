import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { discardBodyAfter } from './unread-body.ts';

const chunk = Buffer.alloc(1024 * 1024);
const promisedBytes = 1024 * chunk.length;

/** Refuses each request before its body has arrived. */
async function startRefusing(): Promise<number> {
  const server = createServer((request, response) => {
    discardBodyAfter(response, request);
    response.writeHead(413, { 'content-type': 'text/plain' }).end('too large');
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

async function beginUpload(port: number): Promise<{ socket: Socket; errors: Error[] }> {
  const socket = connect({ port, host: '127.0.0.1' }).pause();
  onTestFinished(() => void socket.destroy());
  const errors: Error[] = [];
  socket.on('error', (error) => errors.push(error));
  await once(socket, 'connect');
  socket.write(`POST / HTTP/1.1\r\nhost: here\r\ncontent-length: ${promisedBytes}\r\n\r\n`);
  return { socket, errors };
}

/** Sends without reading until the server accepts no more, and returns how much was sent. */
async function sendWhileTaken(socket: Socket): Promise<number> {
  for (;;) {
    const isTaken = new Promise<boolean>((resolve) => socket.write(chunk, (error) => resolve(!error)));
    if (!(await Promise.race([isTaken, sleep(200, false)]))) return socket.bytesWritten;
  }
}

it('gives a client that sends without reading the time to read its response', async () => {
  // The clock stands still, so the time limit is not reached, however long the test takes.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { socket, errors } = await beginUpload(await startRefusing());
  expect(await sendWhileTaken(socket)).toBeLessThan(promisedBytes / 2);
  expect(errors).toEqual([]);
  const answer = once(socket, 'data') as Promise<[Buffer]>;
  socket.resume();
  expect((await answer)[0].toString()).toMatch(/^HTTP\/1\.1 413 [\s\S]*too large/);
});

it('cuts off a client that continues to send', async () => {
  const { socket } = await beginUpload(await startRefusing());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await sendWhileTaken(socket);
  await closed;
  expect(socket.bytesWritten).toBeLessThan(promisedBytes / 2);
});
