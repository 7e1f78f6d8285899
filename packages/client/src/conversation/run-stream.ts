import { streamExistingRun } from '@switchyard/contract/conversation/runs';
import { fromTheStart } from '@switchyard/contract/conversation/stream-frames';
import { Deadline } from '../deadline.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import { backOffMs } from '../push/back-off.ts';
import type { ReconnectPolicy } from '../push/push-connection.ts';
import { buildRequest, type OutgoingRequest } from '../request.ts';
import { sleep, type Timer } from '../timer.ts';
import type { Transport } from '../transport.ts';
import { EventParser, type ParsedEvent } from './event-parser.ts';
import { decodeFrame, type RunFrame } from './run-frame.ts';

export interface RunStreamOptions {
  /** Ends the reading with its reason. The run continues. */
  signal?: AbortSignal | undefined;
  reconnect: ReconnectPolicy;
  timer: Timer;
  random: () => number;
}

/** An answer whose frames are still to come, and the deadline that ends it when it falls silent. */
export interface OpenEvents {
  body: ReadableStream<Uint8Array>;
  deadline: Deadline;
}

/** The gateway gives a sign of life every 5 s. */
const silentForMs = 20_000;
const answerWithinMs = 30_000;

/**
 * The frames of a run, each once and in order: `for await (const frame of stream)`. A connection that breaks is opened
 * again where it broke. The loop ends when the run is over. It throws when the gateway stays unreachable or refuses,
 * and it throws the signal's reason. A `gap` frame says that frames are missing for good: read the state of the thread
 * again then.
 */
export class RunStream implements AsyncIterable<RunFrame> {
  readonly threadId: string;
  readonly runId: string;
  readonly #source;
  #lastEventId: string | undefined;
  #isRead = false;

  constructor(
    source: RunStreamOptions & {
      transport: Transport;
      threadId: string;
      runId: string;
      lastEventId: string | undefined;
      /** The connection that started the run, if there is one. */
      first?: OpenEvents;
    },
  ) {
    this.threadId = source.threadId;
    this.runId = source.runId;
    this.#source = source;
    this.#lastEventId = source.lastEventId;
  }

  /** The id of the last frame that was returned. A reader that comes back later continues after it. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunFrame, void, undefined> {
    if (this.#isRead) throw new TypeError('A run is read once through one stream. Follow it again instead.');
    this.#isRead = true;
    const { signal, reconnect, random, timer } = this.#source;
    let connection = this.#source.first;
    for (let failures = 0; ; ) {
      const before = this.#lastEventId;
      try {
        connection ??= await this.#open();
        yield* this.#readToEnd(connection);
        return;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        connection = undefined;
        failures = this.#lastEventId === before ? failures + 1 : 1;
        if (!isPassing(error) || failures > reconnect.maxFailures) throw error;
        const retryInMs = backOffMs(failures, reconnect, random);
        yield { event: 'disconnected', id: null, namespace: [], data: { reason: error.message, retryInMs } };
        await sleep(retryInMs, signal ?? new AbortController().signal, timer);
      }
    }
  }

  /** Comes back to where the last connection ended. */
  #open(): Promise<OpenEvents> {
    const request = buildRequest(streamExistingRun, {
      params: { thread_id: this.threadId, run_id: this.runId },
      headers: { 'last-event-id': this.#lastEventId ?? fromTheStart },
    });
    return openEvents(this.#source.transport, request, this.#source).then(({ events }) => events);
  }

  async *#readToEnd({ body, deadline }: OpenEvents): AsyncGenerator<RunFrame, void, undefined> {
    const parser = new EventParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    try {
      for (;;) {
        deadline.extend(silentForMs);
        const { done, value } = await reader.read();
        if (done) return;
        // The deadline does not count the time that the reader of the frames takes.
        deadline.pause();
        yield* this.#newFrames(parser.push(decoder.decode(value, { stream: true })));
      }
    } catch (error) {
      throw broken(deadline.signal.aborted ? deadline.signal.reason : error);
    } finally {
      deadline.abandon(new Error('The stream is no longer read.'));
    }
  }

  *#newFrames(events: ParsedEvent[]): Generator<RunFrame, void, undefined> {
    for (const parsed of events) {
      if (!this.#isNew(parsed.id)) continue;
      this.#lastEventId = parsed.id ?? this.#lastEventId;
      const frame = decodeFrame(parsed);
      if (frame) yield frame;
    }
  }

  #isNew(id: string | null): boolean {
    return id === null || this.#lastEventId === undefined || Number(id) > Number(this.#lastEventId);
  }
}

/** Sends a request whose answer is a stream. Resolves when the headers have arrived. */
export async function openEvents(
  transport: Transport,
  request: OutgoingRequest,
  { signal, timer }: Pick<RunStreamOptions, 'signal' | 'timer'>,
): Promise<{ events: OpenEvents; headers: Headers }> {
  const deadline = new Deadline({ signal, timeoutMs: answerWithinMs, timer });
  try {
    const withAccept = { ...request, headers: { accept: 'text/event-stream', ...request.headers } };
    const answer = await transport.exchange(withAccept, {
      signal: deadline.signal,
      read: async (response) => response,
    });
    const type = answer.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream') || answer.body === null) {
      const what = type === '' ? 'something' : type;
      throw new ConnectionError('not_understood', `The gateway answered a stream with ${what}.`);
    }
    return { events: { body: answer.body, deadline }, headers: answer.headers };
  } catch (error) {
    deadline.abandon(error);
    throw error;
  }
}

function broken(error: unknown): Error {
  if (error instanceof ApiError || error instanceof ConnectionError) return error;
  return new ConnectionError('unreachable', 'The connection broke.', error);
}

/** Returns whether another try makes sense: a refusal would only be repeated. */
function isPassing(error: unknown): error is ApiError | ConnectionError {
  if (error instanceof ConnectionError) return error.fault !== 'not_understood';
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}
