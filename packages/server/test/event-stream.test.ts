import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { bytesBetweenSockets } from '@switchyard/dev-env/bytes-between-sockets';
import type { FastifyRequest } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import type { App } from '../src/http/app.ts';
import { Shutdown } from '../src/http/shell/shutdown.ts';
import { defaultEventStreamLimits, type EventStreamEnd, sendEvents } from '../src/http/streams/sse.ts';
import { BoundedQueue } from '../src/lib/async/bounded-queue.ts';
import { type Deferred, newDeferred } from '../src/lib/async/deferred.ts';
import { MemoryStreamLog } from '../src/platform/stream-log/memory-stream-log.ts';
import { encodeEvent, joinFrames } from '../src/platform/stream-log/stream-frame.ts';
import { StreamBroken } from '../src/platform/stream-log/stream-log.ts';
import { ManualTime } from '../testing/manual-time.ts';
import { startTestServer, type TestServer, testRoute, testSchema } from './support/test-server.ts';

type Source = (signal: AbortSignal, request: FastifyRequest) => AsyncIterable<Uint8Array>;

let server: TestServer;
let url: string;
let time: ManualTime;
let ended: Deferred<EventStreamEnd>;
let until: AbortController;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function start(source: Source, { streamLimit = 100 } = {}): Promise<void> {
  time = new ManualTime();
  ended = newDeferred();
  until = new AbortController();
  const routes = (app: App): void => {
    app.route({
      ...testRoute,
      method: 'GET',
      url: '/api/events',
      schema: testSchema,
      handler: async (request, reply) => {
        const end = await sendEvents(request, reply, {
          openStreams: server.streams,
          source: (signal) => source(signal, request),
          headers: { location: '/threads/t/runs/r/stream', 'content-location': '/api/threads/t/runs/r' },
          until: until.signal,
          timer: time.timer,
        });
        ended.resolve(end);
      },
    });
  };
  server = await startTestServer({
    routes: [routes],
    streamLimit,
    logLevel: 'debug',
    corsOrigins: ['https://app.example'],
  });
  url = `http://127.0.0.1:${await server.listen()}/api/events`;
}

/** A source that the test controls. It ends when the client no longer reads. */
function scripted(): { source: Source; send: (text: string) => void; end: (error?: unknown) => void } {
  const queue = new BoundedQueue<Uint8Array>(100);
  return {
    source: (signal) => {
      signal.addEventListener('abort', () => queue.end());
      return queue;
    },
    send: (text) => void queue.push(Buffer.from(text)),
    end: (error) => queue.end(error),
  };
}

function textReader(answer: Response) {
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  return { next: async () => (await reader.read()).value, cancel: () => reader.cancel() };
}

/** A client that sends one request and reads only when it is told to. */
async function openSocket(version = '1.1'): Promise<Socket> {
  const socket = connect((server.app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.pause();
  socket.write(`GET /api/events HTTP/${version}\r\nHost: x\r\n\r\n`);
  return socket;
}

describe('an event stream', () => {
  test('sends its headers before the first event, including those of the server', async () => {
    await start(scripted().source);
    const answer = await fetch(url, { headers: { origin: 'https://app.example' } });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      location: '/threads/t/runs/r/stream',
      'content-location': '/api/threads/t/runs/r',
      'access-control-allow-origin': 'https://app.example',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/-/),
    });
    await answer.body?.cancel();
  });

  test('passes each event on as it arrives and closes cleanly at the end', async () => {
    const script = scripted();
    await start(script.source);
    const body = textReader(await fetch(url));
    script.send('data: 1\n\n');
    expect(await body.next()).toBe('data: 1\n\n');
    script.send('data: 2\n\n');
    expect(await body.next()).toBe('data: 2\n\n');
    script.end();
    expect(await body.next()).toBeUndefined();
    expect(await ended.promise).toBe('complete');
    expect(server.streams.count()).toBe(0);
  });

  test('sends a sign of life after every five seconds of silence', async () => {
    const script = scripted();
    await start(script.source);
    const body = textReader(await fetch(url));
    script.send('data: 1\n\n');
    expect(await body.next()).toBe('data: 1\n\n');
    time.advance(4_999);
    script.send('data: 2\n\n');
    expect(await body.next()).toBe('data: 2\n\n');
    for (let round = 0; round < 3; round += 1) {
      await turn();
      time.advance(5_000);
      expect(await body.next()).toBe(': hb\n');
    }
    script.end();
    expect(await body.next()).toBeUndefined();
    expect(time.nextTimerMs).toBeNull();
  });

  test.each([
    ['a fault', new Error('the disk is gone'), 'error', 'Event stream broken off'],
    ['a slow reader', new StreamBroken('overtaken'), 'info', 'Event stream cut'],
  ])('is broken off after what was sent when its source ends with %s', async (_name, error, level, msg) => {
    const script = scripted();
    await start(script.source);
    const body = textReader(await fetch(url));
    script.send('event: gap\ndata: {}\n\n');
    script.end(error);
    expect(await body.next()).toBe('event: gap\ndata: {}\n\n');
    await expect(body.next()).rejects.toThrow();
    expect(await ended.promise).toBe('cut');
    expect(server.logLines).toContainEqual(expect.objectContaining({ level, msg }));
  });

  test('is reset for a client of HTTP/1.0, which would mistake the end of the connection for the end of the stream', async () => {
    const script = scripted();
    await start(script.source);
    const socket = await openSocket('1.0');
    socket.resume();
    await once(socket, 'data');
    const reset = once(socket, 'end').then(() => 'clean end');
    script.end(new Error('the disk is gone'));
    await expect(reset).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('tells its source when the client has disconnected', async () => {
    const script = scripted();
    let readerLeft = false;
    await start((signal, request) => {
      signal.addEventListener('abort', () => {
        readerLeft = true;
      });
      return script.source(signal, request);
    });
    const body = textReader(await fetch(url));
    script.send('data: 1\n\n');
    await body.next();
    await body.cancel();
    expect(await ended.promise).toBe('client_gone');
    expect(readerLeft).toBe(true);
    expect(server.streams.count()).toBe(0);
    expect(server.logLines).toContainEqual(expect.objectContaining({ msg: 'request', status: 499 }));
  });

  test('is broken off when its reader may no longer read', async () => {
    const script = scripted();
    await start(script.source);
    const body = textReader(await fetch(url));
    script.send('data: 1\n\n');
    await body.next();
    until.abort();
    await expect(body.next()).rejects.toThrow();
    expect(await ended.promise).toBe('cut');
  });

  test('is broken off, never closed cleanly, at shutdown', async () => {
    const script = scripted();
    await start(script.source);
    const body = textReader(await fetch(url));
    script.send('data: 1\n\n');
    await body.next();
    const { app, health, streams, tracker, logger } = server;
    const options = { health, streams, tracker, graceMs: 20_000, timer: time.timer, logger };
    const closed = new Shutdown(app, options).run();
    await expect(body.next()).rejects.toThrow();
    await closed;
    expect(await ended.promise).toBe('cut');
  });

  test('is refused with an ordinary error when too many are open', async () => {
    const script = scripted();
    await start(script.source, { streamLimit: 1 });
    const first = await fetch(url);
    const second = await fetch(url);
    expect([second.status, second.headers.get('content-type')]).toEqual([
      503,
      'application/json; charset=utf-8',
    ]);
    await first.body?.cancel();
  });

  test('answers HEAD with its headers alone', async () => {
    await start(scripted().source);
    const answer = await fetch(url, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(server.streams.count()).toBe(0);
  });

  test('has a line in the log and is not counted among the durations of requests', async () => {
    const script = scripted();
    await start(script.source);
    const answer = await fetch(url);
    script.end();
    await answer.text();
    await server.tracker.whenIdle();
    expect(server.logLines).toContainEqual(
      expect.objectContaining({ msg: 'request', status: 200, route: '/api/events', level: 'debug' }),
    );
    expect(await server.metrics.render()).not.toContain('route="/api/events"');
  });
});

describe('a reader that never reads', () => {
  const chunk = Buffer.alloc(60_000, 'x');

  test('costs bounded memory and is cut, while another one misses nothing', async () => {
    const script = scripted();
    let taken = 0;
    let connections = 0;
    await start((signal, request) => {
      connections += 1;
      return connections === 1 ? endless(signal) : script.source(signal, request);
    });
    async function* endless(signal: AbortSignal) {
      while (!signal.aborted) {
        taken += chunk.length;
        yield chunk;
      }
    }
    const deaf = await openSocket();
    await eventually(() => deaf.bytesWritten > 0 && taken > 0);
    const body = textReader(await fetch(url));
    script.send('data: 1\n\n');
    expect(await body.next()).toBe('data: 1\n\n');
    const { stalledMs } = defaultEventStreamLimits;
    const stepMs = stalledMs / 10;
    let before = -1;
    let waitedMs = 0;
    // The server is held up as soon as the buffers of the two sockets are full. Any write that still fits restarts its
    // time limit.
    while (server.streams.count() === 2) {
      if (taken === before) {
        time.advance(stepMs);
        waitedMs += stepMs;
      } else {
        before = taken;
        waitedMs = 0;
      }
      await turns(50);
    }
    expect(waitedMs).toBeLessThanOrEqual(stalledMs);
    expect(waitedMs).toBeGreaterThanOrEqual(stalledMs - stepMs);
    expect(taken).toBeLessThan((await bytesBetweenSockets()) + 10_000_000);
    const takenWhenCut = taken;
    expect(await ended.promise).toBe('cut');
    expect(server.streams.count()).toBe(1);
    time.advance(1_000); // The frames that are left for it are dropped.
    await eventually(() => server.tracker.inFlight === 1);
    expect(server.logLines).toContainEqual(
      expect.objectContaining({
        msg: 'Event stream cut',
        reason: 'The client took less than 64 KB in 30 s.',
      }),
    );
    expect(taken).toBe(takenWhenCut);
    await body.cancel();
  });

  test('with one large frame goes on for a client that takes its pieces slowly', async () => {
    const frame = Buffer.alloc(6 * (await bytesBetweenSockets()), 'x');
    await start(async function* () {
      yield frame;
    });
    const reading = (await fetch(url)).body?.getReader();
    let taken = 0;
    for (let part = 1; part <= 3; part += 1) {
      // More than the sockets hold, so the server has written further pieces meanwhile.
      while (taken < (part * frame.length) / 3) taken += (await reading?.read())?.value?.length ?? 0;
      if (part < 3) time.advance(defaultEventStreamLimits.stalledMs - 1);
    }
    expect(taken).toBe(frame.length);
    expect(await ended.promise).toBe('complete');
  });

  test('of a shared run is told and disconnected when it finally reads; other readers miss nothing', async () => {
    const bytesPerRun = 1_000_000;
    const log = new MemoryStreamLog({ limits: { bytesPerRun } });
    await start(async function* framesOf(signal) {
      for await (const part of log.read('run', { after: 0, signal })) {
        yield part.type === 'frames'
          ? joinFrames(part.frames)
          : encodeEvent({ event: 'gap', data: `{"after":${part.requested}}` });
      }
    });
    log.begin('run', { base: 0 });
    const deaf = await openSocket();
    await eventually(() => server.streams.count() === 1);
    const answer = await fetch(url);
    let taken = 0;
    const reading = (async () => {
      for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) taken += bytes.length;
    })();
    let written = 0;
    let maxBytes = 0;
    const enough = (await bytesBetweenSockets()) + 10 * bytesPerRun;
    while (written < enough) {
      const data = JSON.stringify('x'.repeat(100_000));
      written += encodeEvent({ event: 'values', data, id: log.append('run', 'values', data) }).length;
      maxBytes = Math.max(maxBytes, log.bytes);
      await eventually(() => taken === written);
    }
    log.end('run');
    await reading;
    expect(taken).toBe(written);
    expect(maxBytes).toBeLessThan(4.2 * bytesPerRun);

    let text = '';
    deaf.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    deaf.resume();
    await once(deaf, 'close');
    expect(text.match(/event: gap\ndata: (.*)\n/)?.[1]).toMatch(/^\{"after":\d+\}$/);
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
  });

  test('does not keep an ended stream open', async () => {
    await start(async function* untilFull(_signal, request) {
      // Small pieces, so that the last one waits in the socket without delaying the source.
      do {
        yield chunk.subarray(0, 8_000);
        await turns(20);
      } while (!(await isStuck(request.raw.socket)));
    });
    await openSocket();
    await eventually(() => time.nextTimerMs === time.now() + defaultEventStreamLimits.stalledMs);
    time.advance(defaultEventStreamLimits.stalledMs);
    expect(await ended.promise).toBe('cut');
    time.advance(1_000);
    await eventually(() => server.tracker.inFlight === 0);
  });
});

/** Returns whether the last written bytes are stuck, which on a busy machine takes a while to know. */
async function isStuck(socket: Socket): Promise<boolean> {
  if (socket.writableLength > 0) await sleep(250);
  return socket.writableLength > 0;
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await turn();
}

async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}
