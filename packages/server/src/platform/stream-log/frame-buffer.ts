import type { StreamFrame } from './stream-frame.ts';

interface FrameBufferOptions {
  framesMax: number;
  bytesMax: number;
  /** Frames up to this id were never in this buffer. */
  base: number;
}

/** Memory of a frame beyond its own bytes: the object, the buffer's head, its place in the list. */
const overheadBytes = 200;

/**
 * The newest frames of one stream. The position of a frame never changes, so a reader is just a number. The newest
 * frame is always kept, however large it is, because live readers need it.
 */
export class FrameBuffer {
  readonly #framesMax: number;
  readonly #bytesMax: number;
  #frames: (StreamFrame | undefined)[] = [];
  /** Number of free places at the front of the list. */
  #free = 0;
  #firstPosition = 0;
  #missingUpTo: number;
  #bytes = 0;

  constructor({ framesMax, bytesMax, base }: FrameBufferOptions) {
    this.#framesMax = framesMax;
    this.#bytesMax = bytesMax;
    this.#missingUpTo = base;
  }

  /** Position of the oldest frame that is kept, or of the next one if there is none. */
  get firstPosition(): number {
    return this.#firstPosition;
  }

  get size(): number {
    return this.#frames.length - this.#free;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Id of the last frame that is no longer here. A reader that has seen it misses nothing. */
  get missingUpTo(): number {
    return this.#missingUpTo;
  }

  /** Id of the oldest frame that is kept, or of the next one as far as it is known. */
  get earliestId(): number {
    return this.#frames[this.#free]?.id ?? this.#missingUpTo + 1;
  }

  push(frame: StreamFrame): void {
    this.#frames.push(frame);
    this.#bytes += sizeOf(frame);
  }

  /** Returns whether the buffer holds more than `times` its limits, and has something to evict. */
  isOver(times = 1): boolean {
    return this.size > 1 && (this.size > times * this.#framesMax || this.#bytes > times * this.#bytesMax);
  }

  evictOldest(): void {
    const frame = this.#frames[this.#free];
    if (frame === undefined) return;
    this.#bytes -= sizeOf(frame);
    this.#missingUpTo = frame.id;
    this.#frames[this.#free] = undefined;
    this.#firstPosition += 1;
    this.#free += 1;
    // The list moves up only from time to time, so that each frame is moved about once.
    if (this.#free > this.#frames.length / 2) {
      this.#frames = this.#frames.slice(this.#free);
      this.#free = 0;
    }
  }

  clear(): void {
    while (this.size > 0) this.evictOldest();
  }

  /** Position of the first frame with a greater id. */
  positionAfter(id: number): number {
    let [from, to] = [this.#free, this.#frames.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#frames[middle]?.id ?? 0) <= id) from = middle + 1;
      else to = middle;
    }
    return this.#firstPosition + from - this.#free;
  }

  /** Returns frames from a position on: as many as fit into `bytesMax`, and at least one if there is any. */
  take(position: number, bytesMax: number): StreamFrame[] {
    const taken: StreamFrame[] = [];
    let bytes = 0;
    for (let at = this.#free + position - this.#firstPosition; at < this.#frames.length; at += 1) {
      const frame = this.#frames[at];
      if (frame === undefined) break;
      bytes += frame.sizeBytes;
      if (taken.length > 0 && bytes > bytesMax) break;
      taken.push(frame);
    }
    return taken;
  }
}

function sizeOf(frame: StreamFrame): number {
  return frame.sizeBytes + overheadBytes;
}
