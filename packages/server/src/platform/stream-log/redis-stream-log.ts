import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { RedisServer } from '../redis/redis-server.ts';
import { FramesToRedis } from './frames-to-redis.ts';
import { MemoryStreamLog } from './memory-stream-log.ts';
import { RedisReader } from './redis-reader.ts';
import { RedisTail } from './redis-tail.ts';
import {
  defaultStreamLogLimits,
  type ReadOptions,
  StreamBroken,
  type StreamLog,
  type StreamLogLimits,
  type StreamPart,
} from './stream-log.ts';

interface RedisStreamLogOptions {
  redis: RedisServer;
  limits?: Partial<StreamLogLimits>;
  /** Measures how long something takes. */
  clock?: Clock;
  /** Tells when a frame is made. */
  now?: Clock;
  timer?: Timer;
}

/**
 * The stream log of several processes. A stream that this process writes is read from memory here, so it goes on without
 * Redis. Other streams are read from Redis, where their writers copy them to.
 */
export class RedisStreamLog implements StreamLog {
  readonly #redis: RedisServer;
  readonly #limits: StreamLogLimits;
  readonly #timer: Timer;
  readonly #local: MemoryStreamLog;
  readonly #copy: FramesToRedis;
  readonly #tail: RedisTail;
  /** Readers of streams that are not written here, or not yet. */
  readonly #elsewhere = new Map<RedisReader, string>();
  /** The first ids of the streams that are written here. Earlier frames are in Redis alone. */
  readonly #bases = new WeakMap<object, number>();
  #isClosed = false;

  private constructor({ redis, limits, clock, now, timer = systemTimer }: RedisStreamLogOptions) {
    this.#redis = redis;
    this.#limits = { ...defaultStreamLogLimits, ...limits };
    this.#timer = timer;
    this.#local = new MemoryStreamLog({
      limits: this.#limits,
      timer,
      ...(clock && { clock }),
      ...(now && { now }),
      onRoomMade: (key) => this.#copy.makeRoom(key, this.#local.find(key) === undefined),
    });
    const find = this.#local.find.bind(this.#local);
    const onCopied = this.#local.trim.bind(this.#local);
    this.#copy = new FramesToRedis({ redis, limits: this.#limits, timer, find, onCopied });
    this.#tail = new RedisTail(redis, newId());
  }

  static async open(options: RedisStreamLogOptions): Promise<RedisStreamLog> {
    const log = new RedisStreamLog(options);
    await Promise.all([log.#copy.untilReady(), log.#tail.untilReady()]);
    return log;
  }

  begin(key: string, { base }: { base: number }): void {
    this.#local.begin(key, { base });
    this.#write(key, base);
  }

  append(key: string, event: string, data: string): number {
    return this.#local.append(key, event, data);
  }

  end(key: string): void {
    if (this.#isClosed) return;
    const isNew = this.#local.find(key) === undefined;
    this.#local.end(key);
    if (isNew) this.#write(key, null);
  }

  abandon(key: string): void {
    this.#copy.abandon(key);
    this.#local.abandon(key);
  }

  async has(key: string): Promise<boolean> {
    if (await this.#local.has(key)) return true;
    const reader = this.#reader(key);
    return reader.isThere();
  }

  async isEnded(key: string): Promise<boolean> {
    return (await this.#local.isEnded(key)) || this.#reader(key).isEnded();
  }

  get followed(): readonly string[] {
    return [...new Set(this.#elsewhere.values())];
  }

  async *read(key: string, { after, signal }: ReadOptions): AsyncGenerator<StreamPart, void, undefined> {
    if (this.#isClosed) throw new StreamBroken('closed');
    if (!this.#isHere(key, after)) {
      const isDone = yield* this.#readElsewhere(key, { after, signal });
      if (isDone) return;
    }
    yield* this.#local.read(key, { after, signal });
  }

  async *retained(key: string): AsyncGenerator<StreamPart, void, undefined> {
    yield* this.#isHere(key, 0) ? this.#local.retained(key) : this.#reader(key).retained();
  }

  /** Resolves once Redis has what was written until now, or cannot take it. */
  settled(): Promise<void> {
    return this.#copy.settled();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#copy.close();
    this.#isClosed = true;
    this.#tail.close();
    for (const reader of this.#elsewhere.keys()) reader.wake();
    await this.#local.close();
  }

  #write(key: string, base: number | null): void {
    const stream = this.#local.find(key);
    if (!stream) return;
    if (base !== null && !this.#bases.has(stream)) this.#bases.set(stream, base);
    this.#copy.begin(key, { stream, base });
    for (const [reader, its] of this.#elsewhere) if (its === key) reader.wake();
  }

  /** Returns whether this process can give the frames after this id from memory. */
  #isHere(key: string, after: number): boolean {
    const stream = this.#local.find(key);
    if (!stream) return false;
    // Without Redis a gap is better than nothing.
    return after >= (this.#bases.get(stream) ?? Number.POSITIVE_INFINITY) || this.#redis.fault !== null;
  }

  /** Returns false when the stream has begun here meanwhile, and nothing of it has been read yet. */
  async *#readElsewhere(
    key: string,
    { after, signal }: ReadOptions,
  ): AsyncGenerator<StreamPart, boolean, undefined> {
    const reader = this.#reader(key);
    const isOver = (): boolean => {
      if (this.#isClosed) throw new StreamBroken('closed');
      return signal.aborted;
    };
    this.#elsewhere.set(reader, key);
    signal.addEventListener('abort', reader.wake);
    try {
      const found = await reader.untilThere(() => isOver() || this.#isHere(key, after));
      if (signal.aborted) return true;
      if (found === null) return false;
      yield* reader.follow(found, { after, isOver });
      return true;
    } catch (error) {
      throw this.#isClosed ? new StreamBroken('closed') : error;
    } finally {
      signal.removeEventListener('abort', reader.wake);
      this.#elsewhere.delete(reader);
      reader.close();
    }
  }

  #reader(key: string): RedisReader {
    const [redis, tail, limits, timer] = [this.#redis, this.#tail, this.#limits, this.#timer];
    return new RedisReader({ redis, tail, limits, timer, key });
  }
}
