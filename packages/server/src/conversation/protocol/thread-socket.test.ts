import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { bytesBetweenSockets } from '@switchyard/dev-env/bytes-between-sockets';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { ProtocolEvent } from '../../agents/run-events/protocol-event.ts';
import type { Identity } from '../../http/access/identity.ts';
import { AppError } from '../../lib/app-error.ts';
import { SocketCaller } from './socket-caller.ts';
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
const member = { userId: 'ada', scopes: null } as Identity;
const custom = { identity: 'ada', display_name: 'ada', permissions: [], is_authenticated: true };
const stranger: Identity = { ...member, custom };
const minuteMs = 60_000;

let time: ManualTime;
let hub: WebSocketServer;
let made: number;
let received: number;
let executed: number;
let faults: unknown[];
let session: AbortController;
beforeEach(async () => {
  [time, made, received, executed, faults] = [new ManualTime(), 0, 0, 0, []];
  session = new AbortController();
  hub = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(hub, 'listening');
});
afterEach(() => {
  for (const socket of hub.clients) socket.terminate();
  hub.close();
});

/** A client of a thread that has events without end. */
async function clientOf(identity: Identity, identify: () => Promise<Identity> = async () => identity) {
  const served = new Promise<void>((resolve) => {
    hub.once('connection', (socket, { socket: connection, headers }) => {
      const [mount, threadId] = ['/api/langgraph', 't'] as const;
      const decide = async () => undefined;
      new ThreadSocket(socket, {
        commands: {
          execute: async () => {
            executed += 1;
            return { type: 'success', id: 1, result: {} };
          },
        },
        events: {
          requirePosition: async () => undefined,
          countKept: async () => 0,
          async *read(_owner, _threadId, _filter, signal) {
            while (!signal.aborted) {
              made += 1;
              yield [event];
            }
          },
        },
        caller: new SocketCaller({ identity, mount, threadId, headers, identify, decide }),
        threadId,
        connection,
        over: [session.signal],
        onFault: (error) => faults.push(error),
        timer: time.timer,
      }).serve(resolve);
      socket.on('message', () => {
        received += 1;
      });
    });
  });
  const client = new WebSocket(`ws://127.0.0.1:${(hub.address() as AddressInfo).port}`);
  await once(client, 'open');
  client.on('error', () => undefined);
  const closed = once(client, 'close').then(([code]) => Number(code));
  const send = (method: string, params: object = {}) =>
    client.send(JSON.stringify({ id: 1, method, params }));
  return { client, closed, served, send };
}

it('cuts a client that takes nothing, and holds no more of its events than the socket does', async () => {
  const { client, served, send } = await clientOf(member);
  client.pause();
  send('subscription.subscribe', { channels: ['custom'] });

  await expect.poll(() => time.nextTimerMs).not.toBeNull();
  expect(made).toBeLessThan(4 + (await bytesBetweenSockets()) / payload.length);
  time.advance(30_000);
  await served;
  client.terminate();
});

it('obeys nothing that a client sends after its session has ended', async () => {
  const { client, closed, send } = await clientOf(member);
  send('run.start');
  await expect.poll(() => executed).toBe(1);
  client.pause(); // It does not see that the socket is being closed.
  session.abort();
  send('run.start');

  await expect.poll(() => received).toBe(2);
  client.resume();
  expect(await closed).toBe(4401);
  expect(executed).toBe(1);
});

describe('a socket with a credential of the operator', () => {
  it('asks every five minutes who is calling, and stays while they are let in', async () => {
    let asked = 0;
    const { client } = await clientOf(stranger, async () => {
      asked += 1;
      return stranger;
    });
    await expect.poll(() => time.nextTimerMs).not.toBeNull();
    for (const count of [1, 2, 3]) {
      time.advance(5 * minuteMs - 1);
      expect(asked).toBe(count - 1);
      time.advance(1);
      await expect.poll(() => time.nextTimerMs).not.toBeNull();
      expect(asked).toBe(count);
    }
    expect(client.readyState).toBe(WebSocket.OPEN);
  });

  it.each([
    ['is refused', async () => Promise.reject(new AppError('custom_auth_rejected')), 4401],
    ['is somebody else', async () => ({ ...stranger, userId: 'bob' }), 4401],
    ['cannot be asked about', async () => Promise.reject(new AppError('custom_auth_too_slow')), 1011],
  ])('closes when the caller %s', async (_case, identify, code) => {
    const { closed } = await clientOf(stranger, identify);
    await expect.poll(() => time.nextTimerMs).not.toBeNull();
    time.advance(5 * minuteMs);

    expect(await closed).toBe(code);
    expect(faults).toHaveLength(code === 1011 ? 1 : 0);
  });

  it('is never asked about with a credential of the gateway', async () => {
    await clientOf(member, () => Promise.reject(new Error('asked')));

    expect(time.nextTimerMs).toBeNull();
  });
});
