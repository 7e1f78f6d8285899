import { eventOf, type StreamFrame } from './stream-frame.ts';

interface FrameBufferOptions {
  framesMax: number;
  bytesMax: number;
  /** Frames up to this id were never in this buffer. */
  base: number;
  blocks: FrameBlocks;
}

/** Memory of a frame beyond its block: three numbers. */
const overheadBytes = 24;
/** The bytes that even the shortest run takes. */
const blockBytes = 16 * 1024;
/** At the limit of all streams one stream takes what another has given back, so few blocks are free at a time. */
const maxFreeBlocks = 256;

/** The memory of all streams outside the heap. Blocks are used again, because the collector finds out late that they are free. */
export class FrameBlocks {
  readonly #free: Buffer[] = [];

  /** A frame that is larger than a block gets one of its own. */
  take(leastBytes: number): Buffer {
    if (leastBytes > blockBytes) return Buffer.allocUnsafeSlow(leastBytes);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
  }

  give(block: Buffer): void {
    if (block.length === blockBytes && this.#free.length < maxFreeBlocks) this.#free.push(block);
  }
}

/**
 * The newest frames of one stream, as bytes outside the heap: as texts they would make the engine keep a heap several times their
 * size. The position of a frame never changes, so a reader is just a number. The newest frame is always kept, however large it is,
 * because live readers need it.
 */
export class FrameBuffer {
  readonly #framesMax: number;
  readonly #bytesMax: number;
  readonly #blocks: FrameBlocks;
  /** The oldest first. None of them is empty. */
  #parts: BufferPart[] = [];
  #size = 0;
  #firstPosition = 0;
  #missingUpTo: number;
  #bytes = 0;

  constructor({ framesMax, bytesMax, base, blocks }: FrameBufferOptions) {
    this.#framesMax = framesMax;
    this.#bytesMax = bytesMax;
    this.#missingUpTo = base;
    this.#blocks = blocks;
  }

  /** Position of the oldest frame that is kept, or of the next one if there is none. */
  get firstPosition(): number {
    return this.#firstPosition;
  }

  get size(): number {
    return this.#size;
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
    return this.#parts[0]?.firstId ?? this.#missingUpTo + 1;
  }

  push(frame: StreamFrame): void {
    if (!this.#parts.at(-1)?.add(frame)) {
      const part = new BufferPart(this.#firstPosition + this.#size, this.#blocks.take(frame.sizeBytes));
      part.add(frame);
      this.#parts.push(part);
      this.#bytes += part.block.length;
    }
    this.#size += 1;
    this.#bytes += overheadBytes;
  }

  /** Returns whether the buffer holds more than `times` its limits, and has something to evict. */
  isOver(times = 1): boolean {
    return this.#size > 1 && (this.#size > times * this.#framesMax || this.#bytes > times * this.#bytesMax);
  }

  evictOldest(): void {
    const oldest = this.#parts[0];
    if (oldest === undefined) return;
    this.#bytes -= overheadBytes;
    this.#missingUpTo = oldest.firstId;
    this.#firstPosition += 1;
    this.#size -= 1;
    if (oldest.dropFirst() === 'not_empty') return;
    this.#parts.shift();
    this.#bytes -= oldest.block.length;
    this.#blocks.give(oldest.block);
  }

  clear(): void {
    this.#missingUpTo = this.#parts.at(-1)?.lastId ?? this.#missingUpTo;
    this.#firstPosition += this.#size;
    for (const { block } of this.#parts) this.#blocks.give(block);
    this.#parts = [];
    this.#size = 0;
    this.#bytes = 0;
  }

  /** Position of the first frame with a greater id. */
  positionAfter(id: number): number {
    const part = this.#parts.find(({ lastId }) => lastId > id);
    return part?.positionAfter(id) ?? this.#firstPosition + this.#size;
  }

  /** Returns frames from a position on: as many as fit into `bytesMax`, and at least one if there is any. */
  take(position: number, bytesMax: number): StreamFrame[] {
    const taken: StreamFrame[] = [];
    let bytes = 0;
    // Readers that follow are in one of the last parts.
    const from = this.#parts.findLastIndex(({ firstPosition }) => firstPosition <= position);
    for (const part of this.#parts.slice(Math.max(from, 0))) {
      for (let at = Math.max(position, part.firstPosition); at < part.endPosition; at += 1) {
        const frame = part.frameAt(at);
        bytes += frame.sizeBytes;
        if (taken.length > 0 && bytes > bytesMax) return taken;
        taken.push(frame);
      }
    }
    return taken;
  }
}

/** Frames one after the other in one block. */
class BufferPart {
  readonly block: Buffer;
  readonly #ids: number[] = [];
  readonly #times: number[] = [];
  /** The place at which each frame begins, and at which the next one will. */
  readonly #starts = [0];
  /** The position of the first frame that was ever here. */
  readonly #base: number;
  /** The number of frames that were dropped. */
  #dropped = 0;

  constructor(base: number, block: Buffer) {
    this.#base = base;
    this.block = block;
  }

  get firstPosition(): number {
    return this.#base + this.#dropped;
  }

  get endPosition(): number {
    return this.#base + this.#ids.length;
  }

  get firstId(): number {
    return numberAt(this.#ids, this.#dropped);
  }

  get lastId(): number {
    return numberAt(this.#ids, this.#ids.length - 1);
  }

  /** Returns false when there is no room. */
  add({ id, text, sizeBytes, atMs }: StreamFrame): boolean {
    const start = numberAt(this.#starts, this.#ids.length);
    if (start + sizeBytes > this.block.length) return false;
    this.block.write(text, start);
    this.#ids.push(id);
    this.#times.push(atMs);
    this.#starts.push(start + sizeBytes);
    return true;
  }

  dropFirst(): 'empty' | 'not_empty' {
    this.#dropped += 1;
    return this.#dropped === this.#ids.length ? 'empty' : 'not_empty';
  }

  positionAfter(id: number): number {
    let [from, to] = [this.#dropped, this.#ids.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (numberAt(this.#ids, middle) <= id) from = middle + 1;
      else to = middle;
    }
    return this.#base + from;
  }

  frameAt(position: number): StreamFrame {
    const index = position - this.#base;
    const [start, end] = [numberAt(this.#starts, index), numberAt(this.#starts, index + 1)];
    const text = this.block.toString('utf8', start, end);
    return {
      id: numberAt(this.#ids, index),
      event: eventOf(text),
      text,
      sizeBytes: end - start,
      atMs: numberAt(this.#times, index),
    };
  }
}

function numberAt(numbers: readonly number[], index: number): number {
  const value = numbers[index];
  if (value === undefined) throw new RangeError(`There is no frame ${index} in this part of the buffer.`);
  return value;
}
