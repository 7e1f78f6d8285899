import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { type Clock, steadyClock, systemClock } from '../../lib/clock.ts';
import { FrameBlocks } from './frame-buffer.ts';
import { RunStream } from './run-stream.ts';
import {
  defaultStreamLogLimits,
  type ReadOptions,
  StreamBroken,
  type StreamLog,
  type StreamLogLimits,
  type StreamPart,
} from './stream-log.ts';

interface MemoryStreamLogOptions {
  limits?: Partial<StreamLogLimits>;
  /** Measures how long something takes. */
  clock?: Clock;
  /** Tells when a frame is made. */
  now?: Clock;
  timer?: Timer;
  /** Called when frames of another stream than the one that grew had to go: all of them, or the oldest. */
  onRoomMade?: (key: string) => void;
}

/** The stream log of one process. */
export class MemoryStreamLog implements StreamLog {
  readonly #limits: StreamLogLimits;
  readonly #clock: Clock;
  readonly #now: Clock;
  readonly #timer: Timer;
  readonly #onRoomMade: (key: string) => void;
  readonly #streams = new Map<string, RunStream>();
  readonly #blocks = new FrameBlocks();
  /** When each ended stream ended, the earliest first. */
  readonly #endedMs = new Map<string, number>();
  /** Streams that are open, by their size. */
  readonly #open = new SizeClasses();
  readonly #changed = new Set<RunStream>();
  #bytes = 0;
  #cancelCleaning: (() => void) | undefined;
  #isClosed = false;

  constructor({
    limits,
    clock = steadyClock,
    now = systemClock,
    timer = systemTimer,
    onRoomMade,
  }: MemoryStreamLogOptions = {}) {
    this.#limits = { ...defaultStreamLogLimits, ...limits };
    this.#clock = clock;
    this.#now = now;
    this.#timer = timer;
    this.#onRoomMade = onRoomMade ?? (() => undefined);
  }

  /** Memory of all streams together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the stream of a key that has begun or ended here, and is still held. */
  find(key: string): RunStream | undefined {
    const stream = this.#streams.get(key);
    return stream?.state === 'open' || stream?.state === 'ended' ? stream : undefined;
  }

  /** Drops frames beyond the limits that were kept for a reader, once it has them. */
  trim(key: string): void {
    const stream = this.find(key);
    if (!stream) return;
    this.#count(key, stream, () => stream.trim());
  }

  begin(key: string, { base }: { base: number }): void {
    if (this.#isClosed) throw new StreamBroken('closed');
    this.#endedMs.delete(key);
    const stream = this.#streamOf(key);
    this.#change(key, stream, () => stream.begin(base));
  }

  append(key: string, event: string, data: string): number {
    const stream = this.#streams.get(key);
    if (stream?.state !== 'open') throw new Error(`The stream ${key} is not open.`);
    return this.#change(key, stream, () => stream.append(event, data));
  }

  end(key: string): void {
    if (this.#isClosed || this.#endedMs.has(key)) return;
    this.#endedMs.set(key, this.#clock());
    const stream = this.#streamOf(key);
    this.#change(key, stream, () => stream.end());
    this.#planCleaning();
  }

  abandon(key: string): void {
    this.#drop(key, (stream) => stream.break('abandoned'));
  }

  async has(key: string): Promise<boolean> {
    return this.find(key) !== undefined;
  }

  async isEnded(key: string): Promise<boolean> {
    return this.#streams.get(key)?.state === 'ended';
  }

  /** There is no other process. */
  get followed(): readonly string[] {
    return [];
  }

  async *read(key: string, options: ReadOptions): AsyncGenerator<StreamPart, void, undefined> {
    if (this.#isClosed) throw new StreamBroken('closed');
    const stream = this.#streamOf(key);
    try {
      yield* stream.read(options);
    } finally {
      // A stream that never began existed only for its waiting readers.
      const isUseless = stream.state === 'expected' && !stream.hasReaders;
      if (isUseless && this.#streams.get(key) === stream) this.#streams.delete(key);
    }
  }

  async *retained(key: string): AsyncGenerator<StreamPart, void, undefined> {
    yield* this.find(key)?.retained() ?? [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelCleaning?.();
    for (const key of [...this.#streams.keys()]) this.#drop(key, (stream) => stream.break('closed'));
  }

  #streamOf(key: string): RunStream {
    const stream =
      this.#streams.get(key) ??
      new RunStream(this.#limits, { clock: this.#clock, now: this.#now, blocks: this.#blocks });
    this.#streams.set(key, stream);
    return stream;
  }

  #change<Answer>(key: string, stream: RunStream, change: () => Answer): Answer {
    const answer = this.#count(key, stream, change);
    this.#wakeLater(stream);
    if (this.#bytes > this.#limits.bytes) this.#makeRoom();
    return answer;
  }

  #count<Answer>(key: string, stream: RunStream, change: () => Answer): Answer {
    const before = stream.bytes;
    const answer = change();
    this.#bytes += stream.bytes - before;
    this.#open.note(key, stream.state === 'open' && stream.frameCount > 1 ? stream.bytes : 0);
    return answer;
  }

  #drop(key: string, change: (stream: RunStream) => void): void {
    const stream = this.#streams.get(key);
    if (!stream) return;
    this.#streams.delete(key);
    this.#endedMs.delete(key);
    this.#open.note(key, 0);
    this.#bytes -= stream.bytes;
    change(stream);
    this.#wakeLater(stream);
  }

  /** Readers wake once per turn of the event loop, however many frames it brought, and write them together. */
  #wakeLater(stream: RunStream): void {
    if (!stream.hasReaders) return;
    if (this.#changed.size === 0) setImmediate(() => this.#wakeReaders());
    this.#changed.add(stream);
  }

  #wakeReaders(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const stream of changed) stream.wakeReaders();
  }

  /** Finished streams are removed first, the oldest before the others; then old frames of one of the largest live streams. */
  #makeRoom(): void {
    while (this.#bytes > this.#limits.bytes) {
      const [oldestEnded] = this.#endedMs.keys();
      if (oldestEnded !== undefined) {
        this.#drop(oldestEnded, (stream) => stream.clear());
        this.#onRoomMade(oldestEnded);
      } else if (!this.#shortenLargest()) return;
    }
  }

  /** Returns false when each stream has only its newest frame left. */
  #shortenLargest(): boolean {
    const key = this.#open.largest();
    const stream = key === undefined ? undefined : this.#streams.get(key);
    if (key === undefined || stream === undefined) return false;
    this.#count(key, stream, () => stream.evictOldest());
    this.#onRoomMade(key);
    return true;
  }

  #planCleaning(): void {
    if (this.#cancelCleaning) return;
    const [firstMs] = this.#endedMs.values();
    if (firstMs === undefined) return;
    const waitMs = firstMs + this.#limits.retentionMs - this.#clock();
    this.#cancelCleaning = this.#timer(() => this.#clean(), Math.max(waitMs, 0));
  }

  #clean(): void {
    this.#cancelCleaning = undefined;
    const untilMs = this.#clock() - this.#limits.retentionMs;
    for (const [key, endedMs] of this.#endedMs) {
      if (endedMs > untilMs) break;
      this.#drop(key, (stream) => stream.clear());
    }
    this.#planCleaning();
  }
}

/** Finds one of the largest streams without looking at the others: it is at least half as large as the largest. */
class SizeClasses {
  /** The keys of each class, by the number of bits of the size. */
  readonly #classes = Array.from({ length: 33 }, () => new Set<string>());
  readonly #classOf = new Map<string, number>();

  /** A stream without bytes has nothing to give. */
  note(key: string, bytes: number): void {
    const now = 32 - Math.clz32(Math.min(bytes, 2 ** 32 - 1));
    const before = this.#classOf.get(key) ?? 0;
    if (now === before) return;
    this.#classes[before]?.delete(key);
    if (now === 0) {
      this.#classOf.delete(key);
      return;
    }
    this.#classOf.set(key, now);
    this.#classes[now]?.add(key);
  }

  largest(): string | undefined {
    const keys = this.#classes.findLast(({ size }) => size > 0);
    return keys?.values().next().value;
  }
}
