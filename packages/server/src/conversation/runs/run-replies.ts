import { Readable } from 'node:stream';
import type { Mount } from '@switchyard/contract/conversation/mounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OpenStream, OpenStreams } from '../../http/open-streams.ts';
import type { EventStreamEnd } from '../../http/sse.ts';
import { sendEvents } from '../../http/sse.ts';
import { AppError } from '../../lib/app-error.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { systemTimer } from '../../lib/async/timer.ts';
import { withPing } from '../../lib/async/with-ping.ts';
import type { RunRow } from '../tables.ts';
import type { FrameSource, RunResult } from './runs.ts';

type Named = Pick<RunRow, 'run_id' | 'thread_id'>;

/** An answer waits as long for its headers, so that most of them say how the run ended; then it begins with white space. */
const quietMs = 10_000;
const keepAliveMs = 10_000;

/** `Content-Location` is a whole path; clients put their own base, which has the mount in it, before `Location`. */
export function runHeaders(mount: Mount, { run_id, thread_id }: Named): Record<string, string> {
  const path = `/threads/${thread_id}/runs/${run_id}`;
  return { 'content-location': mount + path, 'x-run-id': run_id };
}

export async function replyWithEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  { mount, run, open, source }: { mount: Mount; run: Named; open: OpenStream; source: FrameSource },
): Promise<EventStreamEnd> {
  const headers = runHeaders(mount, run);
  const location = `/threads/${run.thread_id}/runs/${run.run_id}/stream`;
  return sendEvents(request, reply, {
    // Opened before the run was started: a gateway that is full refuses the run, not its stream.
    openStreams: { open: () => open },
    source,
    headers: { ...headers, location },
  });
}

export interface WaitReply {
  mount: Mount;
  run: Named;
  open: OpenStream;
  result: (signal: AbortSignal) => Promise<RunResult>;
}

/**
 * Answers with the final values when the run has ended, and keeps the connection alive until then. A run that goes on
 * while the gateway stops is told as an error in the body: clients would repeat a request that failed, and start it twice.
 */
export async function replyWithResult(
  request: FastifyRequest,
  reply: FastifyReply,
  { mount, run, open, result }: WaitReply,
): Promise<void> {
  const { signal } = open;
  const answer = textOf(result(signal), { mount, run, signal }).finally(() => open.close());
  answer.catch((error: unknown) => request.log.debug({ err: error }, 'Nobody waits for the run any more'));
  reply.headers(runHeaders(mount, run)).type('application/json; charset=utf-8');
  const early = await within(quietMs, answer).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    return null;
  });
  // The client has gone: there is nobody to answer.
  if (early === null) return void reply.hijack();
  if (early) reply.header('x-run-status', early.status).send(early.text);
  else reply.send(Readable.from(keptAlive(answer)));
}

async function within<Value>(limitMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  const over = newDeferred<undefined>();
  const cancel = systemTimer(() => over.resolve(undefined), limitMs);
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    cancel();
  }
}

async function* keptAlive(answer: Promise<{ text: string }>): AsyncGenerator<string> {
  async function* last(): AsyncGenerator<string> {
    yield (await answer).text;
  }
  yield '\n';
  yield* withPing(last(), { everyMs: keepAliveMs, ping: () => '\n' });
}

async function textOf(
  result: Promise<RunResult>,
  { mount, run, signal }: { mount: Mount; run: Named; signal: AbortSignal },
): Promise<{ status: string; text: string }> {
  try {
    const { run: ended, values } = await result;
    return { status: ended.status, text: JSON.stringify(values) };
  } catch (error) {
    if (!(signal.aborted && signal.reason instanceof AppError)) throw error;
    const path = `${runHeaders(mount, run)['content-location']}/join`;
    const message = `The gateway is shutting down; the run goes on. Wait for it with GET ${path}.`;
    return { status: 'running', text: JSON.stringify({ __error__: { error: 'ShuttingDown', message } }) };
  }
}

/** An answer that lasts, opened before anything is started for it. */
export async function holding<Result>(
  { openStreams, request }: { openStreams: Pick<OpenStreams, 'open'>; request: FastifyRequest },
  kind: 'events' | 'held_request',
  act: (open: OpenStream) => Promise<Result>,
): Promise<Result> {
  const open = openStreams.open(kind, request);
  try {
    return await act(open);
  } catch (error) {
    open.close();
    throw error;
  }
}

/** Calls back when the client has gone, and not when the gateway goes. */
export function onClientGone(signal: AbortSignal, callBack: () => void): void {
  const hear = (): void => {
    if (!(signal.reason instanceof AppError)) callBack();
  };
  if (signal.aborted) hear();
  else signal.addEventListener('abort', hear, { once: true });
}
