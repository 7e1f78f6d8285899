import { newDeferred } from '../lib/async/deferred.ts';
import { sleepWithSignal } from '../lib/async/sleep-with-signal.ts';
import type { Timer } from '../lib/async/timer.ts';
import type { Log } from '../lib/log.ts';
import { wellFormed } from '../lib/storable-text.ts';
import { dataOf } from '../platform/stream-log/stream-frame.ts';
import type { StreamLog } from '../platform/stream-log/stream-log.ts';
import { type Channel, DeliveryError } from './channel.ts';
import { answerText } from './channel-answer.ts';
import type { ChannelMessageRow } from './tables.ts';

/** Answers beyond this number are sent only when they are complete. */
const maxFollowed = 200;
const maxPreviewLength = 4_000;
const previewDeadlineMs = 5_000;

/**
 * Shows answers while they are written, in the process that began the run. This is only a convenience: what is lost here by a
 * crash or a slow channel comes with the complete answer, which replaces what was shown.
 */
export class LiveReplies {
  readonly #options;
  readonly #following = new Map<string, { stop: AbortController; ended: Promise<void> }>();

  constructor(options: {
    streamLog: Pick<StreamLog, 'read'>;
    /** Notes which message of the channel shows the answer, so that the complete answer replaces it. */
    noteSent: (messageId: string, sent: readonly string[]) => Promise<void>;
    timer: Timer;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  follow(row: ChannelMessageRow, channel: Channel): void {
    const { log } = this.#options;
    const { preview } = channel;
    const { run_id: runId } = row;
    if (!preview || runId === null || this.#following.has(row.id) || this.#following.size >= maxFollowed)
      return;
    const stop = new AbortController();
    const show = new Showing({
      ...this.#options,
      everyMs: channel.previewEveryMs,
      // Not aborted with the rest: a preview that was sent but not noted would stay beside the answer.
      preview: (text, sentId) =>
        preview({ chatId: row.chat_id, text, sentId }, AbortSignal.timeout(previewDeadlineMs)),
      note: (sentId) => this.#options.noteSent(row.id, [sentId]),
      signal: stop.signal,
    });
    const reading = this.#read(runId, show, stop.signal);
    const ended = Promise.allSettled([reading, show.run().finally(() => stop.abort())]).then((results) => {
      this.#following.delete(row.id);
      const failed = results.find((result) => result.status === 'rejected');
      if (failed)
        log.warn({ err: failed.reason, channel: row.channel }, 'An answer is not shown while it is written');
    });
    this.#following.set(row.id, { stop, ended });
  }

  /** After it resolves, no more of this answer is shown. */
  async finish(messageId: string): Promise<void> {
    const following = this.#following.get(messageId);
    if (!following) return;
    following.stop.abort(new Error('The answer is complete.'));
    await following.ended;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#following.keys()].map((id) => this.finish(id)));
  }

  async #read(runId: string, show: Showing, signal: AbortSignal): Promise<void> {
    try {
      for await (const part of this.#options.streamLog.read(runId, { after: 0, signal })) {
        if (part.type === 'gap') continue;
        for (const frame of part.frames) if (frame.event === 'messages') show.piece(dataOf(frame));
      }
    } finally {
      show.end();
    }
  }
}

/** Shows one growing answer: the newest text, at most once an interval, and never two calls at the same time. */
class Showing {
  readonly #options;
  #message = '';
  #text = '';
  #shown = '';
  #sentId: string | null = null;
  #isOver = false;
  #changed = newDeferred();

  constructor(options: {
    everyMs: number;
    preview: (text: string, sentId: string | null) => Promise<string>;
    note: (sentId: string) => Promise<void>;
    timer: Timer;
    signal: AbortSignal;
  }) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.end(), { once: true });
  }

  piece(data: string): void {
    const [chunk, metadata] = JSON.parse(data) as [Piece, { tags?: unknown } | undefined];
    if (!isOfAgent(chunk, metadata?.tags)) return;
    if (chunk.id !== this.#message) this.#text = '';
    this.#message = chunk.id ?? '';
    this.#text += rawTextOf(chunk.content);
    this.#changed.resolve();
  }

  end(): void {
    this.#isOver = true;
    this.#changed.resolve();
  }

  async run(): Promise<void> {
    const { everyMs, timer, signal } = this.#options;
    for (;;) {
      await this.#changed.promise;
      if (this.#isOver) return;
      this.#changed = newDeferred();
      // Waits before the first preview as well, so that a short answer is sent once, complete.
      await this.#pause(everyMs, timer, signal);
      if (this.#isOver) return;
      const waitMs = await this.#show();
      if (waitMs > 0) await this.#pause(waitMs, timer, signal);
    }
  }

  /** Returns how long the channel asks to be left alone. */
  async #show(): Promise<number> {
    const text = wellFormed(this.#text.trim().slice(0, maxPreviewLength));
    if (text === '' || text === this.#shown) return 0;
    try {
      const sentId = await this.#options.preview(`${text} …`, this.#sentId);
      this.#shown = text;
      if (this.#sentId === null) await this.#options.note(sentId);
      this.#sentId = sentId;
      return 0;
    } catch (error) {
      if (error instanceof DeliveryError && error.retryAfterMs !== null) return error.retryAfterMs;
      throw error;
    }
  }

  async #pause(delayMs: number, timer: Timer, signal: AbortSignal): Promise<void> {
    await sleepWithSignal(delayMs, { signal, timer }).catch(() => undefined);
  }
}

interface Piece {
  type?: unknown;
  id?: string;
  content?: unknown;
}

/** Titles, summaries and messages of sub-agents to the lead agent are not part of the answer. */
function isOfAgent({ type }: Piece, tags: unknown): boolean {
  const isAnswer = type === 'AIMessageChunk' || type === 'ai';
  const inner = (tag: unknown) => typeof tag === 'string' && /^(middleware|subagent):/.test(tag);
  return isAnswer && !(Array.isArray(tags) && tags.some(inner));
}

/** Keeps spaces between pieces, because they belong to the text. */
function rawTextOf(content: unknown): string {
  return typeof content === 'string' ? content : answerText(content);
}
