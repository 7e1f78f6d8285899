import { connect } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { AppError } from '../../lib/app-error.ts';
import { type Deferred, newDeferred } from '../../lib/async/deferred.ts';
import { type HeldText, onClientGone, replyWhenKnown, whileOpen } from './held-answer.ts';
import { OpenStreams } from './open-streams.ts';

let app: FastifyInstance;
let url: string;
let time: ManualTime;
let openStreams: OpenStreams;
let answer: Deferred<HeldText>;
let began: Deferred<void>;
let clientGone: Deferred<void>;

beforeEach(async () => {
  app = fastify();
  time = new ManualTime();
  openStreams = new OpenStreams({ limit: 1 });
  answer = newDeferred();
  began = newDeferred();
  clientGone = newDeferred();
  app.get('/', async (request, reply) => {
    await whileOpen({ openStreams, request }, 'held_request', async (open) => {
      onClientGone(open.signal, () => clientGone.resolve());
      open.signal.addEventListener('abort', () => answer.reject(open.signal.reason));
      const replied = replyWhenKnown(request, reply, { answer: answer.promise, open, timer: time.timer });
      began.resolve();
      await replied;
    });
    return reply;
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(() => app.close());

test('an early response sends its own headers', async () => {
  const asked = fetch(url);
  await began.promise;
  answer.resolve({ text: '{"a":1}', headers: { 'x-run-status': 'success' } });
  const response = await asked;
  expect(response.headers.get('x-run-status')).toBe('success');
  expect(await response.text()).toBe('{"a":1}');
  expect(openStreams.count()).toBe(0);
});

test('a late response is kept alive with line breaks, and has the same JSON', async () => {
  const asked = fetch(url);
  await began.promise;
  time.advance(10_000);
  const response = await asked;
  expect(response.headers.get('content-type')).toContain('application/json');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  expect(decoder.decode((await reader.read()).value)).toBe('\n');
  time.advance(10_000);
  expect(decoder.decode((await reader.read()).value)).toBe('\n');
  answer.resolve({ text: '{"a":1}', headers: { 'x-run-status': 'success' } });
  expect(decoder.decode((await reader.read()).value)).toBe('{"a":1}');
  expect((await reader.read()).done).toBe(true);
});

test('a client that disconnects is noticed, and leaves nothing open', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await began.promise;
  socket.destroy();
  await clientGone.promise;
  expect(openStreams.count()).toBe(0);
});

test('a gateway that is full starts nothing', async () => {
  const first = fetch(url);
  await began.promise;
  expect((await fetch(url)).status).toBe(503);
  answer.resolve({ text: '{}', headers: {} });
  expect((await first).status).toBe(200);
});

test('the shutdown of the gateway does not count as a disconnected client', async () => {
  const asked = fetch(url);
  await began.promise;
  let isGone = false;
  void clientGone.promise.then(() => {
    isGone = true;
  });
  void openStreams.closeAll();
  expect((await asked).status).toBe(503);
  expect(isGone).toBe(false);
  await expect(answer.promise).rejects.toBeInstanceOf(AppError);
});
