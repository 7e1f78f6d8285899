import { describe, expect, it } from 'vitest';
import { ManualTimer } from '../../test/support/manual-timer.ts';
import { createClient } from '../client.ts';
import type { Fetch } from '../transport.ts';
import type { RunFrame } from './run-frame.ts';

/** One connection: the test decides what arrives on it. */
class TestConnection {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
  readonly answer: Promise<Response>;
  #answer: (answer: Response | Error) => void = () => undefined;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor([url, { method, headers, signal }]: Parameters<Fetch>) {
    this.url = url;
    this.method = method;
    this.headers = headers;
    this.signal = signal;
    this.answer = new Promise((resolve, reject) => {
      this.#answer = (answer) => (answer instanceof Error ? reject(answer) : resolve(answer));
    });
    signal.addEventListener('abort', () => this.break(signal.reason));
  }

  open(headers: Record<string, string> = {}): this {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
    });
    const type = { 'content-type': 'text/event-stream', ...headers };
    this.#answer(new Response(body, { headers: type }));
    return this;
  }

  refuse(status: number, body: unknown): void {
    this.#answer(Response.json(body, { status }));
  }

  send(...frames: [id: number | null, event: string, data: unknown][]): this {
    for (const [id, event, data] of frames) this.sendText(textOf(id, event, data));
    return this;
  }

  sendText(text: string): this {
    this.#body?.enqueue(new TextEncoder().encode(text));
    return this;
  }

  end(): void {
    this.#body?.close();
  }

  break(error: unknown = new TypeError('terminated')): void {
    if (!this.#body) this.#answer(error as Error);
    try {
      this.#body?.error(error);
    } catch {
      // It has ended already.
    }
  }
}

function textOf(id: number | null, event: string, data: unknown): string {
  return `event: ${event}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function setUp() {
  const connections: TestConnection[] = [];
  const fetch: Fetch = (...given) => {
    const connection = new TestConnection(given);
    connections.push(connection);
    return connection.answer;
  };
  const time = new ManualTimer();
  const client = createClient({ baseUrl: 'http://gateway.test', fetch, token: 'secret' });
  const reading = { timer: time.timer, random: () => 1, reconnect: { maxFailures: 2, firstMs: 1_000 } };
  const last = (): TestConnection => {
    const connection = connections.at(-1);
    if (!connection) throw new Error('Nothing was asked for.');
    return connection;
  };
  return { client, connections, time, reading, last };
}

function follow(options: { lastEventId?: string; signal?: AbortSignal } = {}) {
  const test = setUp();
  const stream = test.client.runs.follow({ threadId: 't', runId: 'r', ...test.reading, ...options });
  const frames = stream[Symbol.asyncIterator]();
  const next = async (): Promise<RunFrame | undefined> => (await frames.next()).value ?? undefined;
  return { ...test, stream, next, frames };
}

/** Waits until all pending promises have settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const values = (n: number) => ({ n });

describe('a run that is started', () => {
  const headers = { 'content-location': '/api/threads/t%201/runs/r1' };

  it('gives its id as soon as it is stored, and then its frames', async () => {
    const { client, last, reading } = setUp();
    const starting = client.runs.start('t 1', { input: { messages: [] } }, reading);
    await settle();
    expect([last().method, last().url]).toEqual([
      'POST',
      'http://gateway.test/api/threads/t%201/runs/stream',
    ]);
    expect(last().headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer secret' });
    last().open(headers);
    const stream = await starting;
    expect([stream.threadId, stream.runId]).toEqual(['t 1', 'r1']);
    last().send([1, 'metadata', { run_id: 'r1', thread_id: 't 1', attempt: 1 }], [2, 'values', values(2)]);
    last().end();
    const seen: RunFrame[] = [];
    for await (const frame of stream) seen.push(frame);
    expect(seen.map(({ event, id }) => [event, id])).toEqual([
      ['metadata', '1'],
      ['values', '2'],
    ]);
  });

  it('is not started twice when its connection breaks, but followed', async () => {
    const { client, connections, last, reading, time } = setUp();
    const starting = client.runs.start('t 1', {}, reading);
    await settle();
    last().open(headers);
    const stream = await starting;
    const frames = stream[Symbol.asyncIterator]();
    last().send([1, 'values', values(1)]);
    await frames.next();
    last().break();
    expect((await frames.next()).value).toMatchObject({ event: 'disconnected' });
    const waiting = frames.next();
    time.advance(1_000);
    await settle();
    expect(connections.map(({ method }) => method)).toEqual(['POST', 'GET']);
    expect(last().url).toBe('http://gateway.test/api/threads/t%201/runs/r1/stream');
    expect(last().headers['last-event-id']).toBe('1');
    last()
      .open()
      .send([2, 'values', values(2)])
      .end();
    expect((await waiting).value).toMatchObject({ event: 'values', id: '2' });
    expect((await frames.next()).done).toBe(true);
  });

  it('in a thread of its own goes to another address', async () => {
    const { client, last, reading } = setUp();
    const starting = client.runs.start(null, {}, reading);
    await settle();
    last().open(headers).end();
    await starting;
    expect(last().url).toBe('http://gateway.test/api/runs/stream');
  });

  it('is not tried again when no answer comes: it may have been stored', async () => {
    const { client, connections, last, reading } = setUp();
    const starting = client.runs.start('t', {}, reading);
    await settle();
    last().break(new TypeError('fetch failed'));
    await expect(starting).rejects.toMatchObject({ name: 'ConnectionError', fault: 'unreachable' });
    expect(connections).toHaveLength(1);
  });

  it('is refused in the same way as any call', async () => {
    const { client, last, reading } = setUp();
    const starting = client.runs.start('t', {}, reading);
    await settle();
    last().refuse(409, { detail: 'Thread is already running a task.' });
    await expect(starting).rejects.toMatchObject({ status: 409, code: 'conflict' });
  });

  it.each([
    ['no address of the run', { 'content-type': 'text/event-stream' }],
    ['no stream', { 'content-type': 'text/html', ...headers }],
  ])('needs an answer: %s is none', async (_name, given) => {
    const { client, last, reading } = setUp();
    const starting = client.runs.start('t', {}, reading);
    await settle();
    last().open(given);
    await expect(starting).rejects.toMatchObject({ fault: 'not_understood' });
    expect(last().signal.aborted).toBe(true);
  });
});

describe('a run that is followed', () => {
  it('begins at the start, or where its reader says', async () => {
    const fromStart = follow();
    void fromStart.next().catch(() => undefined);
    await settle();
    expect(fromStart.last().headers['last-event-id']).toBe('-1');
    const later = follow({ lastEventId: '7' });
    const frame = later.next();
    await settle();
    expect(later.last().headers['last-event-id']).toBe('7');
    later
      .last()
      .open()
      .send([7, 'values', values(7)], [8, 'values', values(8)]);
    expect(await frame).toMatchObject({ id: '8' });
    expect(later.stream.lastEventId).toBe('8');
  });

  it('returns each frame once, however often the connection breaks and however much is sent again', async () => {
    const { next, last, time } = follow();
    const seen: (string | null)[] = [];
    let expected = next();
    for (let from = 1; from <= 5; from += 2) {
      await settle();
      last()
        .open()
        .send([from - 1, 'values', values(from - 1)], [from, 'values', values(from)])
        .send([from + 1, 'values', values(from + 1)])
        .sendText('event: values\nid: 99\ndata: {"cut');
      seen.push((await expected)?.id ?? null, (await next())?.id ?? null);
      if (from === 1) seen.push((await next())?.id ?? null);
      last().break();
      expect(await next()).toMatchObject({ event: 'disconnected' });
      expected = next();
      time.advance(1_000);
    }
    await settle();
    last().open().end();
    expect(await expected).toBeUndefined();
    expect(seen).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  it('passes the gap on, and goes on after it', async () => {
    const { next, last, stream } = follow({ lastEventId: '3' });
    const first = next();
    await settle();
    const gap = { code: 'stream_replay_gap', requested_event_id: '3', earliest_available_event_id: '11' };
    last()
      .open()
      .send([10, 'gap', gap], [11, 'values', values(11)])
      .end();
    expect(await first).toMatchObject({ event: 'gap', data: gap });
    expect(stream.lastEventId).toBe('10');
    expect(await next()).toMatchObject({ event: 'values', id: '11' });
  });

  it('separates the name and the namespace of a frame, and skips names that it does not know', async () => {
    const { next, last } = follow();
    const first = next();
    await settle();
    last()
      .open()
      .send([1, 'telepathy', {}], [2, 'updates|agent:1|tools:2', { n: 1 }], [null, 'values', values(3)])
      .end();
    expect(await first).toEqual({
      event: 'updates',
      namespace: ['agent:1', 'tools:2'],
      id: '2',
      data: { n: 1 },
    });
    expect(await next()).toMatchObject({ event: 'values', id: null });
    expect(await next()).toBeUndefined();
  });

  it('treats a silent connection as dead, and a heartbeat as a sign of life', async () => {
    const { next, last, time, connections } = follow();
    const first = next();
    await settle();
    last().open().sendText(': hb\n');
    await settle();
    for (let beat = 0; beat < 5; beat += 1) {
      time.advance(19_000);
      last().sendText(': hb\n');
      await settle();
    }
    expect(connections).toHaveLength(1);
    time.advance(20_000);
    expect(await first).toMatchObject({
      event: 'disconnected',
      data: { reason: 'The gateway did not answer within 20 s.' },
    });
    expect(last().signal.aborted).toBe(true);
  });

  it('waits longer after each failure in a row, and gives up after the last', async () => {
    const { next, last, time, connections } = follow();
    let frame = next();
    await settle();
    for (const retryInMs of [1_000, 2_000]) {
      last().break(new TypeError('fetch failed'));
      expect(await frame).toMatchObject({ event: 'disconnected', data: { retryInMs } });
      frame = next();
      await settle();
      const before = connections.length;
      time.advance(retryInMs - 1);
      await settle();
      expect(connections).toHaveLength(before);
      time.advance(1);
      await settle();
      expect(connections).toHaveLength(before + 1);
    }
    last().break(new TypeError('fetch failed'));
    await expect(frame).rejects.toMatchObject({ name: 'ConnectionError', fault: 'unreachable' });
    expect(time.waiting).toBe(0);
  });

  it.each([401, 403, 404, 422])(
    'ends with a refusal (%i), which trying again would only repeat',
    async (status) => {
      const { next, last, connections } = follow();
      const frame = next();
      await settle();
      last().refuse(status, { detail: 'No.' });
      await expect(frame).rejects.toMatchObject({ name: 'ApiError', status });
      expect(connections).toHaveLength(1);
    },
  );

  it.each([429, 500, 503])('comes back to a gateway that cannot answer now (%i)', async (status) => {
    const { next, last } = follow();
    const frame = next();
    await settle();
    last().refuse(status, { detail: 'Not now.' });
    expect(await frame).toMatchObject({ event: 'disconnected', data: { reason: 'Not now.' } });
  });

  it('ends with the reason of the signal that aborts it, while it reads and while it waits', async () => {
    const reading = new AbortController();
    const open = follow({ signal: reading.signal });
    const frame = open.next();
    await settle();
    open.last().open();
    await settle();
    reading.abort(new Error('no longer wanted'));
    await expect(frame).rejects.toThrow('no longer wanted');
    expect(open.last().signal.aborted).toBe(true);

    const waiting = new AbortController();
    const broken = follow({ signal: waiting.signal });
    const first = broken.next();
    await settle();
    broken.last().break(new TypeError('fetch failed'));
    await first;
    const second = broken.next();
    waiting.abort(new Error('no longer wanted'));
    await expect(second).rejects.toThrow('no longer wanted');
    expect(broken.time.waiting).toBe(0);
  });

  it('closes the connection when its reader leaves', async () => {
    const { stream, last, time } = follow();
    setImmediate(() =>
      last()
        .open()
        .send([1, 'values', values(1)]),
    );
    for await (const frame of stream) {
      expect(frame.id).toBe('1');
      break;
    }
    expect(last().signal.aborted).toBe(true);
    expect(time.waiting).toBe(0);
  });

  it('is read once', async () => {
    const { stream, last } = follow();
    setImmediate(() => last().open().end());
    for await (const _ of stream) expect.unreachable();
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow('Follow it again');
  });
});
