import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { bytesBetweenSockets } from '@switchyard/dev-env/bytes-between-sockets';
import { expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { ProtocolEvent } from './protocol-event.ts';
import { ThreadSocket } from './thread-socket.ts';

const payload = 'x'.repeat(256 * 1024);
const event: ProtocolEvent = {
  method: 'custom',
  eventId: '1',
  seq: 1,
  namespace: [],
  atMs: 0,
  data: JSON.stringify({ payload }),
};

it('cuts a client that takes nothing, and holds no more of its events than the socket does', async () => {
  const time = new ManualTime();
  let made = 0;
  const hub = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(hub, 'listening');
  const closed = new Promise<void>((resolve) => {
    hub.on('connection', (socket, request) =>
      new ThreadSocket(socket, {
        commands: { execute: async () => ({ type: 'success', id: 1, result: {} }) },
        events: {
          requirePosition: async () => undefined,
          async *read(_owner, _threadId, _filter, signal) {
            while (!signal.aborted) {
              made += 1;
              yield [event];
            }
          },
        },
        identity: { userId: 'ada', scopes: null } as never,
        mount: '/api',
        threadId: 't',
        connection: request.socket,
        over: [],
        onFault: () => undefined,
        timer: time.timer,
      }).serve(resolve),
    );
  });
  const client = new WebSocket(`ws://127.0.0.1:${(hub.address() as AddressInfo).port}`);
  await once(client, 'open');
  client.on('error', () => undefined);
  client.pause();
  client.send(JSON.stringify({ id: 1, method: 'subscription.subscribe', params: { channels: ['custom'] } }));

  await expect.poll(() => time.nextTimerMs).not.toBeNull();
  expect(made).toBeLessThan(4 + (await bytesBetweenSockets()) / payload.length);
  time.advance(30_000);
  await closed;
  client.terminate();
  hub.close();
});
