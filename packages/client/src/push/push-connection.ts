import {
  type ClientMessage,
  type PushTopic,
  pushCloseCodes,
  topicOfFrame,
} from '@switchyard/contract/dispatch/push';
import { ApiError, ConnectionError } from '../errors.ts';
import { sleep, type Timer } from '../timer.ts';
import { type BackOff, backOffMs } from './back-off.ts';
import { MessageQueue } from './message-queue.ts';
import { type LinkEnd, PushLink } from './push-link.ts';
import type { PushMessage } from './push-message.ts';
import type { WebSocketLike } from './web-socket.ts';

export interface PushFilter {
  /** When absent: everything except previews. */
  topics?: PushTopic[] | undefined;
  /** When absent: every task that the account may see. */
  taskIds?: string[] | undefined;
}

export interface ReconnectPolicy extends BackOff {
  /** The number of failures in a row. Use Infinity for a reader that watches the whole day. */
  maxFailures: number;
}

interface PushConnectionOptions {
  /** With the place where the connection before ended; undefined at the start. */
  open: (cursor: string | undefined) => WebSocketLike;
  filter: PushFilter;
  reconnect: ReconnectPolicy;
  timer: Timer;
  random: () => number;
  signal: AbortSignal | undefined;
}

/** The gateway keeps as many for a socket before it cuts it off. */
const maxWaiting = 1_000;
/**
 * A connection that breaks sooner than this after its snapshot counts as one more failure. Otherwise it would be opened
 * in a tight loop.
 */
const stableAfterMs = 10_000;

/**
 * The messages of the gateway, as long as they are read: `for await (const message of connection)`. A connection that
 * breaks is opened again and resumes behind the last message that was read. Each connection begins with a snapshot,
 * `global_status`. When the messages in between are no longer kept, `resync` follows, and the caller has to read what
 * it shows again; otherwise they follow, and then `resumed`. The loop ends after `close()`. It throws when
 * the credentials are refused, when the gateway stays unreachable, and with the signal's reason.
 */
export class PushConnection implements AsyncIterable<PushMessage> {
  readonly #options: PushConnectionOptions;
  readonly #queue = new MessageQueue(maxWaiting);
  readonly #closing = new AbortController();
  #filter: PushFilter;
  #link: PushLink | undefined;
  #hasSnapshot = false;
  /** The place of the last message that the reader has taken. */
  #cursor: string | undefined;

  constructor(options: PushConnectionOptions) {
    this.#options = options;
    this.#filter = options.filter;
    const { signal } = options;
    const onAbort = (): void => this.#stop(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#run()
      .catch((error: unknown) => this.#queue.end(error))
      .finally(() => signal?.removeEventListener('abort', onAbort));
  }

  /** Replaces the filter for this connection and the following ones. */
  subscribe(filter: PushFilter): void {
    this.#filter = filter;
    if (this.#hasSnapshot) this.#sendFilter();
  }

  close(): void {
    this.#stop();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PushMessage, void, undefined> {
    try {
      for (;;) {
        const message = await this.#queue.next();
        if (message === undefined) return;
        if ('cursor' in message && message.cursor !== undefined) this.#cursor = message.cursor;
        yield message;
      }
    } finally {
      this.close();
    }
  }

  #stop(reason?: unknown): void {
    this.#queue.end(reason);
    this.#closing.abort(new Error('The connection was closed here.'));
    this.#link?.close();
  }

  /** Open, read until it ends, wait, open again. */
  async #run(): Promise<void> {
    const { reconnect, random, timer } = this.#options;
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; ) {
      const { end, wasStable } = await this.#readOneConnection();
      if (signal.aborted) return;
      failures = wasStable ? 1 : failures + 1;
      const refusal = refusalOf(end);
      if (refusal) throw refusal;
      if (failures > reconnect.maxFailures) throw giveUp(end, failures);
      const retryInMs = backOffMs(failures, reconnect, random);
      this.#queue.push({ type: 'disconnected', data: { reason: endText(end), retryInMs } });
      await sleep(retryInMs, signal, timer).catch(() => undefined); // closed in the meantime: the loop notices
    }
  }

  async #readOneConnection(): Promise<{ end: LinkEnd; wasStable: boolean }> {
    const { open, timer } = this.#options;
    let isStable = false;
    let cancelTimer = (): void => undefined;
    const link = new PushLink({
      socket: open(this.#cursor),
      timer,
      onMessage: (message) => {
        if (message.type === 'global_status' && !this.#hasSnapshot) {
          this.#hasSnapshot = true;
          cancelTimer = timer(() => {
            isStable = true;
          }, stableAfterMs);
          // Not earlier: the gateway drops what it receives before it knows the account.
          if (this.#filter.topics || this.#filter.taskIds) this.#sendFilter();
        }
        this.#deliver(message, link);
      },
    });
    this.#link = link;
    const end = await link.ended;
    cancelTimer();
    this.#link = undefined;
    this.#hasSnapshot = false;
    return { end, wasStable: isStable };
  }

  /**
   * A reader that falls behind loses the waiting messages and resumes where it is, as it does with the gateway.
   * Messages that were missed arrive before the gateway knows the filter.
   */
  #deliver(message: PushMessage, link: PushLink): void {
    if (!passes(message, this.#filter) || this.#queue.push(message)) return;
    this.#queue.clear();
    link.close('What came was not read in time.');
  }

  #sendFilter(): void {
    const { topics, taskIds } = this.#filter;
    const data = { ...(topics && { topics }), ...(taskIds && { taskIds }) };
    this.#link?.send({ type: 'subscribe', data } satisfies ClientMessage);
  }
}

function passes(message: PushMessage, { topics, taskIds }: PushFilter): boolean {
  if (message.type === 'preview' || message.type === 'disconnected' || message.type === 'global_status')
    return true;
  const topic = topicOfFrame[message.type];
  if (topics && topic !== null && !topics.includes(topic)) return false;
  return !taskIds || !('taskId' in message.data) || taskIds.includes(message.data.taskId);
}

/** Reasons for an end that another try would only repeat. */
function refusalOf({ code, reason }: LinkEnd): ApiError | undefined {
  const refused = refusals[code];
  return refused && new ApiError({ ...refused, message: reason || refused.message });
}

const messageTooBig = 1009;

const refusals: Record<number, { status: number; code: string; message: string }> = {
  [pushCloseCodes.unauthenticated]: {
    status: 401,
    code: 'not_authenticated',
    message: 'The gateway does not accept these credentials for live messages.',
  },
  [pushCloseCodes.tooManyMessages]: {
    status: 429,
    code: 'rate_limited',
    message: 'Too many messages were sent to the gateway.',
  },
  [messageTooBig]: {
    status: 413,
    code: 'body_too_large',
    message: 'A message to the gateway was too large. Subscribe to fewer tasks at once.',
  },
};

function giveUp(end: LinkEnd, failures: number): Error {
  const sentence = endText(end);
  if (end.code === pushCloseCodes.tooManySockets) {
    return new ApiError({ status: 429, code: 'too_many_sockets', message: sentence });
  }
  return new ConnectionError('unreachable', `No live messages after ${failures} tries: ${sentence}`);
}

function endText({ code, reason }: LinkEnd): string {
  if (reason !== '') return reason;
  return code === 1006
    ? 'The connection could not be opened, or broke.'
    : `The connection was closed (${code}).`;
}
