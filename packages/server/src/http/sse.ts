import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Timer } from '../lib/async/timer.ts';
import type { OpenStreams } from './open-streams.ts';

export interface EventStream {
  openStreams: Pick<OpenStreams, 'open'>;
  /**
   * Encoded events, as many at once as there are. Its end is the end of the stream; what it throws breaks the connection
   * off. The signal aborts when nobody reads any more.
   */
  source: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** `Content-Location` and `Location` of the run. */
  headers?: Record<string, string>;
  timer?: Timer;
  limits?: EventStreamLimits;
}

export interface EventStreamLimits {
  /** A comment is sent whenever the source has been silent as long. */
  heartbeatMs: number;
  /** A client that takes nothing for so long is cut. */
  stalledMs: number;
}

export const defaultEventStreamLimits: EventStreamLimits = { heartbeatMs: 5_000, stalledMs: 30_000 };

/** How an event stream ended: `client_gone` is the client's doing, `cut` ours (shutdown, a slow reader, a broken source). */
export type EventStreamEnd = 'complete' | 'client_gone' | 'cut';

/**
 * Answers with an event stream and resolves when it has ended. Throws only before the first byte, when the gateway is
 * full or closing; afterwards the handler's answer is decided.
 */
export async function sendEvents(
  _request: FastifyRequest,
  _reply: FastifyReply,
  _stream: EventStream,
): Promise<EventStreamEnd> {
  throw new Error('Not there yet.');
}
