import { crc32 } from 'node:zlib';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
/** The kinds that hold plain text; ComfyUI writes the executed graph as `tEXt`. */
const textKinds = new Set(['tEXt', 'iTXt']);
const headBytes = 8;
const crcBytes = 4;
/** A longer text passes unchanged. */
const maxTextBytes = 16 * 1024 * 1024;

/**
 * The bytes of an output with `change` applied to the texts of a PNG, since a worker writes the graph that it was sent
 * into its pictures. A file that is not a PNG, or a broken one, passes unchanged; so do compressed texts. Each piece of
 * the source becomes one piece at most, because each is a write to the disk.
 */
export async function* withPngTexts(
  source: AsyncIterable<Buffer>,
  change: (text: string) => string,
): AsyncGenerator<Buffer> {
  const walk = new PngWalk(change);
  for await (const piece of source) {
    const ready = walk.read(piece);
    if (ready.length > 0) yield ready;
  }
  const rest = walk.rest();
  if (rest.length > 0) yield rest;
}

/** Walks over the chunks of a PNG. It holds back only what it must see whole: the signature, heads and texts. */
class PngWalk {
  readonly #change: (text: string) => string;
  #step: 'signature' | 'head' | 'text' = 'signature';
  /** The bytes that are held back for the current step, and the number that it needs. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #neededBytes = signature.length;
  /** The bytes that pass before the next head. */
  #passingBytes = 0;

  constructor(change: (text: string) => string) {
    this.#change = change;
  }

  /** Returns what can be passed on after this piece. */
  read(piece: Buffer): Buffer {
    const ready: Buffer[] = [];
    for (let left = piece; left.length > 0; ) {
      const part = left.subarray(0, this.#passingBytes || this.#neededBytes - this.#heldBytes);
      left = left.subarray(part.length);
      if (this.#passingBytes > 0) {
        this.#passingBytes -= part.length;
        ready.push(part);
      } else ready.push(...this.#hold(part));
    }
    return joined(ready);
  }

  /** Returns what is still held back when the source has ended: a broken file passes as it is. */
  rest(): Buffer {
    return joined(this.#held);
  }

  /** Returns what can go on once the step is complete. */
  #hold(part: Buffer): Buffer[] {
    this.#held.push(part);
    this.#heldBytes += part.length;
    if (this.#heldBytes < this.#neededBytes) return [];
    const whole = joined(this.#held);
    if (this.#step === 'head' && isText(whole)) {
      this.#step = 'text';
      this.#held = [whole];
      this.#neededBytes = headBytes + whole.readUInt32BE(0) + crcBytes;
      return [];
    }
    const isPng = this.#step !== 'signature' || whole.equals(signature);
    this.#passingBytes = isPng ? 0 : Number.POSITIVE_INFINITY;
    if (this.#step === 'head') this.#passingBytes = whole.readUInt32BE(0) + crcBytes;
    const ready = this.#step === 'text' ? changedChunk(whole, this.#change) : whole;
    this.#step = 'head';
    this.#held = [];
    this.#heldBytes = 0;
    this.#neededBytes = headBytes;
    return [ready];
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first ? first : Buffer.concat(parts);
}

function isText(head: Buffer): boolean {
  return textKinds.has(head.toString('latin1', 4)) && head.readUInt32BE(0) <= maxTextBytes;
}

/** A chunk whose checksum is wrong is broken, or its length is a lie, and stays as it is. */
function changedChunk(chunk: Buffer, change: (text: string) => string): Buffer {
  const end = chunk.length - crcBytes;
  const text = chunk.toString('latin1', headBytes, end);
  const wanted = change(text);
  if (wanted === text || crc32(chunk.subarray(4, end)) !== chunk.readUInt32BE(end)) return chunk;
  const body = Buffer.from(`${chunk.toString('latin1', 4, headBytes)}${wanted}`, 'latin1');
  const changed = Buffer.alloc(body.length + headBytes);
  changed.writeUInt32BE(body.length - 4, 0);
  body.copy(changed, 4);
  changed.writeUInt32BE(crc32(body), body.length + 4);
  return changed;
}
