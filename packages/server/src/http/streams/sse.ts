import type { OutgoingHttpHeaders } from 'node:http';
import { heartbeat } from '@switchyard/contract/conversation/stream-frames';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/app-error.ts';
import { linkedAbort } from '../../lib/async/linked-abort.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { withPing } from '../../lib/async/with-ping.ts';
import { StreamBroken } from '../../platform/stream-log/stream-log.ts';
import { EventConnection, ReaderStalled } from './event-connection.ts';
import type { OpenStreams } from './open-streams.ts';

export interface EventStream {
  openStreams: Pick<OpenStreams, 'open'>;
  /**
   * Encoded events, as many at once as there are. Its end is the end of the stream. An error that it throws breaks the
   * connection off. The signal aborts when the client no longer reads, and the source then ends.
   */
  source: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** For example `Content-Location` and `Location` of a run. */
  headers?: Record<string, string>;
  /** Breaks the stream off when it aborts, for example when the session of the reader has ended. */
  until?: AbortSignal;
  limits?: EventStreamLimits;
  timer?: Timer;
}

export interface EventStreamLimits {
  /** A comment is sent whenever the source was silent for so long. */
  heartbeatMs: number;
  /** A client that takes less than 64 KB in so long, while more is there, is disconnected. */
  stalledMs: number;
}

export const defaultEventStreamLimits: EventStreamLimits = { heartbeatMs: 5_000, stalledMs: 30_000 };

/**
 * `client_gone`: the client disconnected. `cut`: we ended the stream because of a shutdown, a slow reader, or a source
 * that broke.
 */
export type EventStreamEnd = 'complete' | 'client_gone' | 'cut';

const heartbeatBytes = Buffer.from(heartbeat);

/**
 * Responds with an event stream, headers at once, and resolves when it has ended. Throws only before the first byte,
 * when the gateway is full. Writes to the socket directly: through Fastify's own way for streams each write
 * costs about four times as much.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  stream: EventStream,
): Promise<EventStreamEnd> {
  const headers = {
    'content-type': 'text/event-stream',
    // A proxy that compresses would hold tokens back until its window is full.
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...stream.headers,
  };
  const open = stream.openStreams.open('events', request);
  if (request.method === 'HEAD') {
    open.close();
    await reply.headers(headers).send();
    return 'complete';
  }
  // Kept on the reply as well, because the request's log line reads them there.
  reply.headers(headers).hijack();
  reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders).flushHeaders();
  try {
    return await pump(request, reply, { ...stream, signal: open.signal });
  } finally {
    open.close();
  }
}

interface Pumped extends EventStream {
  /** Aborts as described at `OpenStream`. */
  signal: AbortSignal;
}

async function pump(request: FastifyRequest, reply: FastifyReply, stream: Pumped): Promise<EventStreamEnd> {
  const { source, signal, until, limits = defaultEventStreamLimits, timer = systemTimer } = stream;
  const over = linkedAbort(signal);
  const onUntil = (): void => over.abort(until?.reason);
  until?.addEventListener('abort', onUntil);
  if (until?.aborted) onUntil();
  const connection = new EventConnection(reply.raw, {
    signal: over.signal,
    stalledMs: limits.stalledMs,
    timer,
  });
  try {
    const events = withPing(source(over.signal), {
      everyMs: limits.heartbeatMs,
      ping: () => heartbeatBytes,
      timer,
    });
    for await (const bytes of events) await connection.write(bytes);
    if (!over.signal.aborted) await connection.end();
    if (!over.signal.aborted) return 'complete';
  } catch (error) {
    if (!over.signal.aborted) logCut(request, error);
  } finally {
    until?.removeEventListener('abort', onUntil);
    over.release();
    over.abort();
  }
  if (signal.aborted && !(signal.reason instanceof AppError)) return 'client_gone';
  connection.breakOff();
  return 'cut';
}

/** Normal events in the life of a gateway are logged at a low level. Anything else is a fault. */
function logCut(request: FastifyRequest, error: unknown): void {
  if (error instanceof ReaderStalled || error instanceof StreamBroken)
    request.log.info({ reason: error.message }, 'Event stream cut');
  else request.log.error({ err: error }, 'Event stream broken off');
}
