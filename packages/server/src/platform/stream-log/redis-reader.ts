import { newDeferred } from '../../lib/async/deferred.ts';
import type { Timer } from '../../lib/async/timer.ts';
import type { RedisServer } from '../redis/redis-server.ts';
import { FrameOrder } from './frame-order.ts';
import type { RedisTail } from './redis-tail.ts';
import {
  type EntryId,
  firstEntry,
  idText,
  isAfter,
  missingBefore,
  type RawEntry,
  readEntry,
  type StreamEntry,
} from './stream-entries.ts';
import { StreamBroken, type StreamLogLimits, type StreamPart } from './stream-log.ts';

/** A stream as Redis has it. */
interface Found {
  /** Its newest entry. */
  at: EntryId;
  /** The mark that the newest entry is, if it is not a frame. */
  mark: 'begin' | 'end' | 'gone' | null;
  missingUpTo: number;
}

/** The frames that one reader may have in hand and has not written yet. Beyond that, it reads from Redis again. */
const maxQueued = { entries: 1_000, bytes: 256 * 1024 };
const pageEntries = 256;
/** After this long without an entry a reader looks whether its stream is still there. */
const idleMs = 15_000;
const retryMs = 1_000;

/** One reader of a stream that another process writes, or that none writes yet. */
export class RedisReader {
  readonly #options;
  readonly #queue: StreamEntry[] = [];
  #queuedBytes = 0;
  #isJoined = false;
  #isLost = false;
  /** Redis had nothing new at the last attempt to join, although others have seen more. */
  #wasBehind = false;
  #wake: () => void = () => undefined;
  /** Something has changed since the last wait, while the reader was asking Redis. */
  #isWoken = false;
  /** The last entry that was read. */
  #at: EntryId = firstEntry;

  constructor(options: {
    redis: RedisServer;
    tail: RedisTail;
    limits: Pick<StreamLogLimits, 'framesPerRun'>;
    timer: Timer;
    key: string;
  }) {
    this.#options = options;
  }

  /** Ends a wait, because something outside has changed. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#wake();
  };

  close(): void {
    this.#options.tail.leave(this.#options.key, this.#follower);
  }

  /** Returns whether Redis has the stream. While Redis is away, it has none. */
  async isThere(): Promise<boolean> {
    return streamIn(await this.#lookIfPossible()) !== null;
  }

  /** Returns whether Redis has the end of the stream. While Redis is away, it has none. */
  async isEnded(): Promise<boolean> {
    return streamIn(await this.#lookIfPossible())?.mark === 'end';
  }

  async #lookIfPossible(): Promise<Found | null | 'away'> {
    return this.#look().catch((error: unknown) => {
      this.#options.redis.noteFault(error);
      return 'away';
    });
  }

  /** The frames that Redis has now. While Redis is away, it has none. */
  async *retained(): AsyncGenerator<StreamPart, void, undefined> {
    const found = streamIn(await this.#lookIfPossible());
    if (found === null) return;
    const { missingUpTo, at } = found;
    if (missingUpTo > 0) yield { type: 'gap', requested: 0, earliest: missingUpTo + 1, latest: at.frame };
    this.#at = { frame: missingUpTo, mark: 0 };
    const order = new FrameOrder(missingUpTo);
    while (isAfter(at, this.#at)) {
      const page = await this.#page().catch(() => []); // The fault is noted, and `read` tells its reader.
      if (page.length === 0) return;
      for (const part of order.parts(page)) if (part.type === 'frames') yield part;
    }
  }

  /** Returns once the stream is there. `isOver` is asked after each change: then the wait ends without it. */
  async untilThere(isOver: () => boolean): Promise<Found | null> {
    let wasAway = false;
    while (!isOver()) {
      const found = await this.#lookIfPossible();
      if (isOver()) break;
      const stream = streamIn(found);
      if (stream) return stream;
      if (found === 'away') wasAway = true;
      // It may have begun and ended meanwhile, so the reader has to ask again what became of the run.
      else if (wasAway) throw new StreamBroken('lost');
      // No one wakes a reader that has not joined.
      else if (!this.#isJoined && !this.#tryToJoin(found?.at)) continue;
      await this.#untilWoken(found === 'away' ? retryMs : idleMs);
      wasAway ||= this.#isLost;
      this.#isLost = false;
    }
    return null;
  }

  async *follow(
    { missingUpTo, at: { frame: latest } }: Found,
    { after, isOver }: { after: number; isOver: () => boolean },
  ): AsyncGenerator<StreamPart, void, undefined> {
    this.close();
    this.#startAgain();
    // An id that was never used would wait for ever, so it counts as the newest.
    let seen = Math.min(Math.max(after, 0), latest);
    if (seen < missingUpTo) {
      yield { type: 'gap', requested: seen, earliest: missingUpTo + 1, latest };
      seen = missingUpTo;
    }
    this.#at = { frame: seen, mark: 0 };
    yield* this.#inOrder(new FrameOrder(seen), isOver);
  }

  async *#inOrder(order: FrameOrder, isOver: () => boolean): AsyncGenerator<StreamPart, void, undefined> {
    while (!isOver()) {
      for (const part of order.parts(await this.#next())) {
        if (part.type === 'over') return checkEnd(part.mark);
        yield part.type === 'frames' ? part : await this.#gap(order.seen, part.earliest);
        if (part.type === 'jump') throw new StreamBroken('overtaken');
        if (isOver()) return;
      }
    }
  }

  /** Entries that are new to the reader; none after a wake-up from outside. */
  async #next(): Promise<StreamEntry[]> {
    if (!this.#isJoined) {
      const page = await this.#page();
      if (page.length > 0) {
        this.#wasBehind = false;
        return page;
      }
      if (!this.#tryToJoin()) return [];
    }
    if (this.#queue.length === 0 && !this.#isLost) {
      const isWoken = await this.#untilWoken(idleMs);
      if (!isWoken && streamIn(await this.#orLost(this.#look())) === null) throw new StreamBroken('lost');
    }
    if (this.#isLost) throw new StreamBroken('lost');
    const entries = this.#queue.splice(0);
    this.#queuedBytes = 0;
    this.#at = entries.at(-1)?.at ?? this.#at;
    return entries;
  }

  /**
   * Joins behind this entry, if no one has seen more. Otherwise the caller asks Redis again. Entries that others have
   * seen and that are not in the second answer either are gone, so the next attempt begins behind them.
   */
  #tryToJoin(at: EntryId = this.#at): boolean {
    const { tail, key } = this.#options;
    this.#at = at;
    this.#isJoined = tail.join(key, this.#at, this.#follower);
    if (!this.#isJoined && this.#wasBehind) this.#at = tail.placeOf(key) ?? this.#at;
    this.#wasBehind = !this.#isJoined && !this.#wasBehind;
    return this.#isJoined;
  }

  async #page(): Promise<StreamEntry[]> {
    const { redis, key } = this.#options;
    const from = `(${idText(this.#at)}`;
    const raw = await this.#orLost(
      redis.commands.xrange(redis.key('run', key), from, '+', 'COUNT', pageEntries),
    );
    const entries = raw.map((entry) => readEntry(entry as RawEntry));
    this.#at = entries.at(-1)?.at ?? this.#at;
    return entries;
  }

  /** Moves nothing: a reader that has joined gets each entry from the tail, and some may be under way. */
  async #look(): Promise<Found | null> {
    const { redis, key } = this.#options;
    const name = redis.key('run', key);
    const [newest, oldest] = await Promise.all([
      redis.commands.xrevrange(name, '+', '-', 'COUNT', 1),
      redis.commands.xrange(name, '-', '+', 'COUNT', 1),
    ]);
    if (newest[0] === undefined || oldest[0] === undefined) return null;
    const last = readEntry(newest[0] as RawEntry);
    return {
      at: last.at,
      mark: 'mark' in last ? last.mark : null,
      missingUpTo: missingBefore(readEntry(oldest[0] as RawEntry)),
    };
  }

  async #gap(requested: number, earliest: number): Promise<StreamPart> {
    const found = await this.#orLost(this.#look());
    return { type: 'gap', requested, earliest, latest: Math.max(found?.at.frame ?? 0, earliest) };
  }

  readonly #follower = {
    take: (entries: readonly StreamEntry[]): void => {
      for (const entry of entries) {
        if (!isAfter(entry.at, this.#queue.at(-1)?.at ?? this.#at)) continue;
        this.#queue.push(entry);
        this.#queuedBytes += 'frame' in entry ? entry.frame.sizeBytes : 0;
      }
      const max = Math.min(maxQueued.entries, this.#options.limits.framesPerRun);
      if (this.#queue.length > max || this.#queuedBytes > maxQueued.bytes) {
        this.close();
        this.#startAgain();
      }
      this.wake();
    },
    lose: (): void => {
      this.#isJoined = false;
      this.#isLost = true;
      this.wake();
    },
  };

  #startAgain(): void {
    this.#isJoined = false;
    this.#isLost = false;
    this.#wasBehind = false;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
  }

  /** Returns false when the time was up. */
  async #untilWoken(limitMs: number): Promise<boolean> {
    const woken = newDeferred<boolean>();
    this.#wake = () => woken.resolve(true);
    if (this.#isWoken) this.#wake();
    const cancel = this.#options.timer(() => woken.resolve(false), limitMs);
    const isWoken = await woken.promise;
    cancel();
    this.#wake = () => undefined;
    this.#isWoken = false;
    return isWoken;
  }

  async #orLost<Answer>(asking: Promise<Answer>): Promise<Answer> {
    try {
      return await asking;
    } catch (error) {
      this.#options.redis.noteFault(error);
      throw new StreamBroken('lost');
    }
  }
}

/** A writer that has given up leaves nothing but its mark, so there is no stream. */
function streamIn(found: Found | null | 'away'): Found | null {
  return found === null || found === 'away' || found.mark === 'gone' ? null : found;
}

/** A run that has ended ends its stream; one that is gone breaks it off. */
function checkEnd(mark: 'end' | 'gone'): void {
  if (mark === 'gone') throw new StreamBroken('abandoned');
}
