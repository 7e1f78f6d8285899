import { pushCloseCodes } from '@switchyard/contract/dispatch/push';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualTimer } from '../../test/support/manual-timer.ts';
import { PushConnection, type PushFilter } from './push-connection.ts';
import type { PushMessage } from './push-message.ts';
import type { WebSocketLike } from './web-socket.ts';

type Listener = (event: { data: unknown; code: number; reason: string }) => void;

/** The test plays the gateway. */
class TestSocket implements WebSocketLike {
  binaryType = 'blob';
  readonly sent: unknown[] = [];
  readonly #listeners = new Map<string, Listener>();
  closedWith: number | undefined;
  isTerminated = false;

  addEventListener(type: string, listener: unknown): void {
    this.#listeners.set(type, listener as Listener);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(code?: number): void {
    this.closedWith = code;
  }

  terminate(): void {
    this.isTerminated = true;
  }

  say(type: string, data: unknown = {}, cursor?: string): void {
    this.#fire('message', { data: JSON.stringify({ type, timestamp: 0, data, cursor }) });
  }

  end(code: number, reason = ''): void {
    this.#fire('close', { code, reason });
  }

  #fire(type: string, event: { data?: unknown; code?: number; reason?: string }): void {
    this.#listeners.get(type)?.({ data: null, code: 0, reason: '', ...event });
  }
}

const connections: PushConnection[] = [];
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close();
});

function connect(filter: PushFilter = {}, signal?: AbortSignal) {
  const time = new ManualTimer();
  const sockets: TestSocket[] = [];
  const cursors: (string | undefined)[] = [];
  const connection = new PushConnection({
    open: (cursor) => {
      cursors.push(cursor);
      const socket = new TestSocket();
      sockets.push(socket);
      return socket;
    },
    filter,
    reconnect: { firstMs: 1_000, maxMs: 4_000, maxFailures: 3 },
    timer: time.timer,
    random: () => 1,
    signal,
  });
  connections.push(connection);
  const messages = connection[Symbol.asyncIterator]();
  const next = async (): Promise<PushMessage | undefined> => (await messages.next()).value ?? undefined;
  const last = (): TestSocket => {
    const socket = sockets.at(-1);
    if (!socket) throw new Error('No socket was opened.');
    return socket;
  };
  return { connection, time, sockets, cursors, next, last };
}

/** Waits until all pending promises have settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a connection', () => {
  it('passes on the messages of the gateway', async () => {
    const { next, last } = connect();
    last().say('global_status', { tasks: {} });
    last().say('task_started', { taskId: 't' });
    expect(await next()).toMatchObject({ type: 'global_status' });
    expect(await next()).toMatchObject({ type: 'task_started', data: { taskId: 't' } });
  });

  it('opens again after a break, reports it, and begins with a snapshot', async () => {
    const { time, sockets, next, last } = connect();
    last().say('global_status');
    await next();
    last().end(1001, 'The gateway is shutting down.');
    expect(await next()).toEqual({
      type: 'disconnected',
      data: { reason: 'The gateway is shutting down.', retryInMs: 1_000 },
    });
    time.advance(999);
    await settle();
    expect(sockets).toHaveLength(1);
    time.advance(1);
    await settle();
    expect(sockets).toHaveLength(2);
    last().say('global_status');
    expect(await next()).toMatchObject({ type: 'global_status' });
  });

  it('waits longer after each failure in a row, and gives up after the last', async () => {
    const { time, sockets, next, last } = connect();
    const waits: number[] = [];
    for (let failures = 1; failures <= 3; failures += 1) {
      last().end(1006);
      const message = await next();
      if (message?.type === 'disconnected') waits.push(message.data.retryInMs);
      time.advance(4_000);
      await settle();
    }
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    last().end(1006);
    await expect(next()).rejects.toMatchObject({ name: 'ConnectionError', fault: 'unreachable' });
    expect(sockets).toHaveLength(4);
    expect(time.waiting).toBe(0);
  });

  it('counts from the beginning again only after a connection that held', async () => {
    const { time, next, last } = connect();
    const breakAfter = async (heldMs: number) => {
      last().say('global_status');
      await next();
      time.advance(heldMs);
      last().end(1006);
      const message = await next();
      time.advance(4_000);
      await settle();
      return message?.type === 'disconnected' ? message.data.retryInMs : undefined;
    };
    expect(await breakAfter(9_000)).toBe(1_000);
    expect(await breakAfter(9_000)).toBe(2_000);
    expect(await breakAfter(11_000)).toBe(1_000);
  });

  it.each([
    [pushCloseCodes.unauthenticated, 'not_authenticated'],
    [pushCloseCodes.tooManyMessages, 'rate_limited'],
    [1009, 'body_too_large'],
  ])('ends for good with %i, which trying again would only repeat', async (code, error) => {
    const { time, sockets, next, last } = connect();
    last().end(code, 'A reason.');
    await expect(next()).rejects.toMatchObject({ code: error, message: 'A reason.' });
    time.advance(100_000);
    await settle();
    expect(sockets).toHaveLength(1);
  });

  it('tries again when the account has too many sockets, because some may be dead', async () => {
    const { next, last } = connect();
    last().end(pushCloseCodes.tooManySockets, 'At most 20 sockets a user.');
    expect(await next()).toMatchObject({ type: 'disconnected' });
  });

  it('treats a gateway as dead when it sends nothing for a whole interval', async () => {
    const { time, next, last } = connect();
    last().say('global_status');
    await next();
    time.advance(20_000);
    expect(last().sent).toEqual([{ type: 'ping' }]);
    last().say('pong');
    time.advance(20_000);
    expect(last().isTerminated).toBe(false);
    time.advance(20_000);
    expect(last().isTerminated).toBe(true);
    expect(await next()).toMatchObject({ type: 'disconnected', data: { reason: 'It fell silent.' } });
  });

  it('does not wait for ever until it is open', async () => {
    const { time, next, last } = connect();
    time.advance(15_000);
    expect(last().isTerminated).toBe(true);
    expect(await next()).toMatchObject({
      type: 'disconnected',
      data: { reason: 'It did not open in time.' },
    });
  });

  it('sends its filter after each snapshot, and not before', async () => {
    const { time, next, last, connection } = connect({ taskIds: ['a'] });
    expect(last().sent).toEqual([]);
    last().say('global_status');
    expect(last().sent).toEqual([{ type: 'subscribe', data: { taskIds: ['a'] } }]);
    connection.subscribe({ topics: ['tasks'] });
    expect(last().sent.at(-1)).toEqual({ type: 'subscribe', data: { topics: ['tasks'] } });
    await next();
    last().end(1006);
    await next();
    time.advance(1_000);
    await settle();
    last().say('global_status');
    expect(last().sent).toEqual([{ type: 'subscribe', data: { topics: ['tasks'] } }]);
  });

  it('resumes behind the last message that its reader took', async () => {
    const { time, cursors, next, last } = connect();
    last().say('global_status', {}, 'e.1');
    last().say('task_started', { taskId: 'a' }, 'e.2');
    last().say('task_started', { taskId: 'b' }, 'e.3');
    await next();
    await next();
    last().end(1006);
    await next();
    await next();
    time.advance(1_000);
    await settle();
    expect(cursors).toEqual([undefined, 'e.3']);
  });

  it('passes on what was missed as far as its filter wants it, and how that ended', async () => {
    const { next, last } = connect({ topics: ['tasks'], taskIds: ['a'] });
    last().say('global_status');
    last().say('task_started', { taskId: 'b' });
    last().say('files_deleted', { fileIds: ['f'] });
    last().say('task_started', { taskId: 'a' });
    last().say('resumed', { frames: 3 });
    last().say('resync', { reason: 'too_old' });
    expect([await next(), await next(), await next(), await next()]).toMatchObject([
      { type: 'global_status' },
      { type: 'task_started', data: { taskId: 'a' } },
      { type: 'resumed' },
      { type: 'resync' },
    ]);
  });

  it('begins again for a reader that falls 1,000 messages behind', async () => {
    const { next, last } = connect();
    for (let task = 0; task <= 1_000; task += 1) last().say('task_started', { taskId: String(task) });
    expect(last().closedWith).toBe(1000);
    expect(await next()).toMatchObject({
      type: 'disconnected',
      data: { reason: 'What came was not read in time.' },
    });
  });

  it('closes when it is told to, while open and while it waits to open again', async () => {
    const open = connect();
    open.last().say('global_status');
    open.connection.close();
    expect(await open.next()).toMatchObject({ type: 'global_status' });
    expect(await open.next()).toBeUndefined();
    expect(open.last().closedWith).toBe(1000);

    const waiting = connect();
    waiting.last().end(1006);
    await waiting.next();
    waiting.connection.close();
    expect(await waiting.next()).toBeUndefined();
    waiting.time.advance(100_000);
    await settle();
    expect([waiting.sockets.length, waiting.time.waiting]).toEqual([1, 0]);
  });

  it('closes when its reader leaves', async () => {
    const { connection, last } = connect();
    last().say('global_status');
    for await (const _ of connection) break;
    expect(last().closedWith).toBe(1000);
  });

  it('ends with the reason of the signal that aborts it', async () => {
    const controller = new AbortController();
    const { next, last } = connect({}, controller.signal);
    const waiting = next();
    controller.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    expect(last().closedWith).toBe(1000);
  });
});
