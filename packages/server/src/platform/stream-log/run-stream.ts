import { newDeferred } from '../../lib/async/deferred.ts';
import type { Clock } from '../../lib/clock.ts';
import { type FrameBlocks, FrameBuffer } from './frame-buffer.ts';
import { newFrame, type StreamFrame } from './stream-frame.ts';
import {
  partBytes,
  type ReadOptions,
  readerGrace,
  StreamBroken,
  type StreamLogLimits,
  type StreamPart,
} from './stream-log.ts';

type State = 'expected' | 'open' | 'ended' | { broken: StreamBroken['reason'] };

/** A reader is a position. It is woken when there may be something new, and checks for itself. */
interface Reader {
  wake: () => void;
  position: number;
  /** When the reader last had everything; infinite while it does. */
  keptUpMs: number;
}

export interface StreamTap {
  /** Returns the next frames, as `FrameBuffer.take` does. Frames that were evicted before are left out. */
  take(maxBytes: number): StreamFrame[];
  hasAll(): boolean;
  /** Called when the frames that were taken have arrived, so that the buffer need not keep them. */
  confirm(): void;
  /** The next frame is the one after this id. */
  goBackTo(id: number): void;
}

/** Memory of a stream beyond its frames, so that a million empty streams are not free. */
const overheadBytes = 1_024;

/** The frames of one key, and its readers. */
export class RunStream {
  readonly #limits: StreamLogLimits;
  readonly #blocks: FrameBlocks;
  readonly #clock: Clock;
  readonly #now: Clock;
  readonly #readers = new Set<Reader>();
  #state: State = 'expected';
  #lastId = 0;
  #buffer: FrameBuffer | undefined;

  constructor(
    limits: StreamLogLimits,
    { clock, now, blocks }: { clock: Clock; now: Clock; blocks: FrameBlocks },
  ) {
    this.#limits = limits;
    this.#blocks = blocks;
    this.#clock = clock;
    this.#now = now;
  }

  get state(): State {
    return this.#state;
  }

  get bytes(): number {
    return this.#state === 'expected' ? 0 : overheadBytes + (this.#buffer?.bytes ?? 0);
  }

  get frameCount(): number {
    return this.#buffer?.size ?? 0;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  get lastId(): number {
    return this.#lastId;
  }

  /** Id of the last frame that is not here any more, or never was. */
  get missingUpTo(): number {
    return this.#buffer?.missingUpTo ?? this.#lastId;
  }

  begin(base: number): void {
    if (base < this.#lastId)
      throw new Error(`A stream at id ${this.#lastId} cannot begin again at ${base}: ids ascend.`);
    this.#state = 'open';
    this.#lastId = base;
    this.#buffer ??= this.#newBuffer(base);
  }

  append(event: string, data: string): number {
    const id = this.#lastId + 1;
    const frame = newFrame({ event, data, id, atMs: this.#now() });
    this.#lastId = id;
    if (this.#buffer) {
      this.#buffer.push(frame);
      if (this.#buffer.isOver()) this.#trim(this.#buffer);
    }
    return id;
  }

  #trim(buffer: FrameBuffer): void {
    const sinceMs = this.#clock() - readerGrace.forMs;
    const keepingUp = [...this.#readers].filter(({ keptUpMs }) => keptUpMs >= sinceMs);
    const neededFrom = Math.min(...keepingUp.map(({ position }) => position));
    while (buffer.isOver() && (buffer.firstPosition < neededFrom || buffer.isOver(readerGrace.times)))
      buffer.evictOldest();
  }

  end(): void {
    this.#buffer ??= this.#newBuffer(this.#lastId);
    this.#state = 'ended';
  }

  break(reason: StreamBroken['reason']): void {
    this.#state = { broken: reason };
    this.#buffer?.clear();
  }

  evictOldest(): void {
    this.#buffer?.evictOldest();
  }

  /** Forgets the frames. Readers that still need some get the error that they were overtaken. */
  clear(): void {
    this.#buffer?.clear();
  }

  wakeReaders(): void {
    for (const reader of this.#readers) reader.wake();
  }

  /** A reader without a loop of its own, for what copies the frames elsewhere. `wake` is called as for other readers. */
  tap(wake: () => void): StreamTap {
    const reader: Reader = { wake, position: this.#buffer?.firstPosition ?? 0, keptUpMs: this.#clock() };
    this.#readers.add(reader);
    let next = reader.position;
    const hasAll = (): boolean => (this.#buffer?.take(next, 1).length ?? 0) === 0;
    return {
      take: (maxBytes) => {
        const buffer = this.#buffer;
        if (buffer === undefined) return [];
        reader.keptUpMs = Math.min(reader.keptUpMs, this.#clock());
        next = Math.max(next, buffer.firstPosition);
        const frames = buffer.take(next, maxBytes);
        next += frames.length;
        return frames;
      },
      hasAll,
      confirm: () => {
        reader.position = next;
        if (hasAll()) reader.keptUpMs = Number.POSITIVE_INFINITY;
      },
      goBackTo: (id) => {
        next = this.#buffer?.positionAfter(id) ?? 0;
      },
    };
  }

  /** Drops what is beyond the limits and that no reader needs any more. */
  trim(): void {
    if (this.#buffer?.isOver()) this.#trim(this.#buffer);
  }

  async *read({ after, signal }: ReadOptions): AsyncGenerator<StreamPart, void, undefined> {
    const reader: Reader = { wake: () => undefined, position: 0, keptUpMs: this.#clock() };
    const wake = (): void => reader.wake();
    this.#readers.add(reader);
    signal.addEventListener('abort', wake);
    try {
      yield* this.#follow(reader, { after, signal });
    } finally {
      signal.removeEventListener('abort', wake);
      this.#readers.delete(reader);
    }
  }

  *retained(): Generator<StreamPart, void, undefined> {
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    const latest = this.#lastId;
    let seen = buffer.missingUpTo;
    if (seen > 0) yield this.#gapAfter(0, buffer);
    while (seen < latest) {
      const frames = buffer.take(buffer.positionAfter(seen), partBytes);
      const last = frames.at(-1);
      if (last === undefined) return;
      seen = last.id;
      yield { type: 'frames', frames };
    }
  }

  async *#follow(
    reader: Reader,
    { after, signal }: ReadOptions,
  ): AsyncGenerator<StreamPart, void, undefined> {
    while (this.#buffer === undefined && !this.#isOver(signal)) await this.#untilWoken(reader);
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    // An id that was never used would wait for ever, so it counts as the newest.
    let seen = Math.min(Math.max(after, 0), this.#lastId);
    const gap = seen < buffer.missingUpTo ? this.#gapAfter(seen, buffer) : undefined;
    seen = Math.max(seen, buffer.missingUpTo);
    reader.position = buffer.positionAfter(seen);
    if (gap) yield gap;
    while (!this.#isOver(signal)) {
      if (reader.position < buffer.firstPosition) {
        yield this.#gapAfter(seen, buffer);
        throw new StreamBroken('overtaken');
      }
      const frames = buffer.take(reader.position, partBytes);
      if (frames.length > 0) {
        reader.position += frames.length;
        seen = frames.at(-1)?.id ?? seen;
        yield { type: 'frames', frames };
      } else if (this.#state === 'ended') return;
      else await this.#untilWoken(reader);
    }
  }

  /** The reader already has everything. */
  async #untilWoken(reader: Reader): Promise<void> {
    const woken = newDeferred();
    reader.wake = woken.resolve;
    reader.keptUpMs = Number.POSITIVE_INFINITY;
    await woken.promise;
    reader.keptUpMs = this.#clock();
  }

  /** Throws when the stream is broken, because no more frames can come. */
  #isOver(signal: AbortSignal): boolean {
    if (signal.aborted) return true;
    if (typeof this.#state === 'object') throw new StreamBroken(this.#state.broken);
    return false;
  }

  #gapAfter(requested: number, buffer: FrameBuffer): StreamPart {
    return { type: 'gap', requested, earliest: buffer.earliestId, latest: this.#lastId };
  }

  #newBuffer(base: number): FrameBuffer {
    const { framesPerRun, bytesPerRun } = this.#limits;
    return new FrameBuffer({ framesMax: framesPerRun, bytesMax: bytesPerRun, base, blocks: this.#blocks });
  }
}
