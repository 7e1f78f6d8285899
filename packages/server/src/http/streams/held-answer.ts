import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { withPing } from '../../lib/async/with-ping.ts';
import type { OpenStream, OpenStreams, StreamKind } from './open-streams.ts';

/** JSON text, with headers that are known only at its end. They are sent if the response comes soon enough. */
export interface HeldText {
  text: string;
  headers: Record<string, string>;
}

export interface HeldAnswer {
  answer: Promise<HeldText>;
  open: OpenStream;
  timer?: Timer;
}

/**
 * Most responses come within this time, with headers that show the result. A later response was started without them.
 */
const quietMs = 10_000;
const keepAliveMs = 10_000;

/**
 * Responds with JSON that takes some time. Nothing is sent at first. Then a line break from time to time, which JSON
 * allows before its value, keeps the connection alive.
 */
export async function replyWhenKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, open, timer = systemTimer }: HeldAnswer,
): Promise<void> {
  reply.type('application/json; charset=utf-8');
  const known = answer.finally(() => open.close());
  known.catch((error: unknown) => request.log.debug({ err: error }, 'A held answer was given up'));
  try {
    const early = await within(quietMs, known, timer);
    if (early) reply.headers(early.headers).send(early.text);
    else reply.send(Readable.from(keptAlive(known, timer)));
  } catch (error) {
    if (!isClientGone(open.signal)) throw error;
    // There is no client left to respond to.
    reply.hijack();
  }
}

/** Holds the response open before any work starts for it: a gateway that is full starts nothing. */
export async function whileOpen(
  { openStreams, request }: { openStreams: Pick<OpenStreams, 'open'>; request: FastifyRequest },
  kind: StreamKind,
  act: (open: OpenStream) => Promise<void>,
): Promise<void> {
  const open = openStreams.open(kind, request);
  try {
    await act(open);
  } catch (error) {
    open.close();
    throw error;
  }
}

/** Calls back when the client has disconnected, but not when the gateway shuts down. */
export function onClientGone(signal: AbortSignal, callBack: () => void): void {
  const hear = (): void => {
    if (isClientGone(signal)) callBack();
  };
  if (signal.aborted) hear();
  else signal.addEventListener('abort', hear, { once: true });
}

function isClientGone({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof AppError);
}

async function within<Value>(
  limitMs: number,
  promise: Promise<Value>,
  timer: Timer,
): Promise<Value | undefined> {
  const over = newDeferred<undefined>();
  const cancel = timer(() => over.resolve(undefined), limitMs);
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    cancel();
  }
}

async function* keptAlive(answer: Promise<HeldText>, timer: Timer): AsyncGenerator<string> {
  async function* last(): AsyncGenerator<string> {
    yield (await answer).text;
  }
  yield '\n';
  yield* withPing(last(), { everyMs: keepAliveMs, ping: () => '\n', timer });
}
