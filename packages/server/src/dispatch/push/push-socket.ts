import type { Writable } from 'node:stream';
import { type PushTopic, pushCloseCodes } from '@switchyard/contract/dispatch/push';
import type { WebSocket } from 'ws';
import type { ReaderKey } from './kept-frames.ts';
import type { PushFrame } from './push-frames.ts';

export interface PushFilter {
  /** Null: everything but previews. */
  topics: ReadonlySet<PushTopic> | null;
  taskIds: ReadonlySet<string> | null;
}

/** The limit of frames that wait for a reader; beyond it the reader is cut off and starts again with a snapshot. */
const maxWaiting = 1_000;
/**
 * The limit of bytes handed to the kernel and not sent yet. Beyond it frames wait here, where newer ones replace older
 * ones.
 */
const maxBufferedBytes = 512 * 1024;
const drainCheckMs = 50;
/** Begins the keys of the first messages. */
const firstKey = 'first ';

interface PushClient {
  /** The stream to which the WebSocket writes. */
  connection: Pick<Writable, 'cork' | 'uncork'>;
  userId: string;
  seesAll: boolean;
  hearsOfThreads?: boolean;
}

/** One client. What it may see is decided once, when it signs in. */
export class PushSocket {
  readonly #socket: WebSocket;
  readonly #connection: Pick<Writable, 'cork' | 'uncork'>;
  readonly #userId: string;
  readonly #seesAll: boolean;
  readonly #hearsOfThreads: boolean;
  #filter: PushFilter = { topics: null, taskIds: null };
  /** In the order in which they are sent; a frame that replaces another takes its place. */
  #waiting = new Map<string, PushFrame>();
  #unnamed = 0;
  #hasBegun = false;
  #isScheduled = false;

  constructor(socket: WebSocket, { connection, userId, seesAll, hearsOfThreads = true }: PushClient) {
    this.#socket = socket;
    this.#connection = connection;
    this.#userId = userId;
    this.#seesAll = seesAll;
    this.#hearsOfThreads = hearsOfThreads;
  }

  get userId(): string {
    return this.#userId;
  }

  /** The reader whose frames it gets. */
  get reader(): ReaderKey {
    return this.#seesAll ? 'all' : { user: this.#userId };
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Frames that wait and are no longer asked for are not sent after the answer, except for the first messages. */
  setFilter(filter: PushFilter): void {
    this.#filter = filter;
    for (const [key, frame] of this.#waiting)
      if (!key.startsWith(firstKey) && !this.wants(frame)) this.#waiting.delete(key);
  }

  close(code: number, reason: string): void {
    this.#waiting.clear();
    this.#socket.close(code, reason);
  }

  /** Sends the first messages, whatever the filter, before everything that was offered until now. */
  begin(first: readonly PushFrame[]): void {
    const named = first.map((frame, index): [string, PushFrame] => [`${firstKey}${index}`, frame]);
    this.#waiting = new Map([...named, ...this.#waiting]);
    this.#hasBegun = true;
    this.#schedule();
  }

  offer(frame: PushFrame): void {
    if (!this.wants(frame) || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#waiting.set(frame.replaces ?? `#${++this.#unnamed}`, frame);
    if (this.#waiting.size > maxWaiting) {
      // Nothing more is offered to it; the socket's own deadline cuts off a client that does not even take the close
      // message.
      this.close(pushCloseCodes.fellBehind, 'You stayed behind. Connect again for a snapshot.');
      return;
    }
    this.#schedule();
  }

  /** The reader whose previews it wants: one user, or all. Null when it wants none. */
  get previewsOf(): ReaderKey | null {
    return this.#filter.topics?.has('previews') ? this.reader : null;
  }

  /** Returns whether the client may see the frame and has asked for it. */
  wants({ topic, owner, taskId }: Pick<PushFrame, 'topic' | 'owner' | 'taskId'>): boolean {
    const isOfThreads = topic === 'runs' || topic === 'threads';
    if (isOfThreads && !this.#hearsOfThreads) return false;
    // Administrators see the work of the pool, and no conversations but their own.
    if (owner !== null && owner !== this.#userId && (isOfThreads || !this.#seesAll)) return false;
    const { topics, taskIds } = this.#filter;
    if (topics === null ? topic === 'previews' : !topics.has(topic)) return false;
    return taskId === null || taskIds === null || taskIds.has(taskId);
  }

  /** All frames of one turn of the event loop are sent together: one write to the kernel instead of many. */
  #schedule(): void {
    if (this.#isScheduled || !this.#hasBegun) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    this.#connection.cork();
    for (const [key, { payload }] of this.#waiting) {
      if (this.#socket.bufferedAmount > maxBufferedBytes) break;
      this.#waiting.delete(key);
      this.#socket.send(payload);
    }
    this.#connection.uncork();
    if (this.#waiting.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => this.#flush(), drainCheckMs);
  }
}
