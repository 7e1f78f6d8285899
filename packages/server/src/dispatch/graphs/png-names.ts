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
 * into its pictures. A file that is no PNG, or a broken one, passes unchanged; so do compressed texts.
 */
export async function* withPngTexts(
  source: AsyncIterable<Buffer>,
  change: (text: string) => string,
): AsyncGenerator<Buffer> {
  const bytes = new ByteQueue(source);
  try {
    yield* changed(bytes, change);
  } finally {
    await bytes.close();
  }
}

async function* changed(bytes: ByteQueue, change: (text: string) => string): AsyncGenerator<Buffer> {
  if (!(await bytes.has(signature.length)) || !bytes.peek(signature.length).equals(signature)) {
    yield* bytes.rest();
    return;
  }
  yield bytes.take(signature.length);
  while (await bytes.has(headBytes)) {
    const head = bytes.take(headBytes);
    const sizeBytes = head.readUInt32BE(0);
    const isText = textKinds.has(head.toString('latin1', 4)) && sizeBytes <= maxTextBytes;
    if (isText && (await bytes.has(sizeBytes + crcBytes))) {
      yield changedChunk(head, bytes.take(sizeBytes + crcBytes), change);
    } else {
      yield head;
      yield* bytes.next(sizeBytes + crcBytes);
    }
  }
  yield* bytes.rest();
}

/** Returns the chunk unchanged unless its text changes, so that a wrong checksum stays wrong. */
function changedChunk(head: Buffer, given: Buffer, change: (text: string) => string): Buffer {
  const text = given.toString('latin1', 0, given.length - crcBytes);
  const wanted = change(text);
  if (wanted === text) return Buffer.concat([head, given]);
  const body = Buffer.from(`${head.toString('latin1', 4)}${wanted}`, 'latin1');
  const chunk = Buffer.alloc(body.length + headBytes);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** A stream of bytes that can be looked at before it is passed on. */
class ByteQueue {
  readonly #source: AsyncIterator<Buffer>;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Closes the source, also when the rest of it is not wanted. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  /** Reads until this many bytes are buffered; returns false when the stream ends before that. */
  async has(count: number): Promise<boolean> {
    const parts = [this.#waiting];
    let waiting = this.#waiting.length;
    while (waiting < count) {
      const { done, value } = await this.#source.next();
      if (done) break;
      parts.push(value);
      waiting += value.length;
    }
    this.#waiting = parts.length === 1 ? this.#waiting : Buffer.concat(parts);
    return waiting >= count;
  }

  peek(count: number): Buffer {
    return this.#waiting.subarray(0, count);
  }

  take(count: number): Buffer {
    const taken = this.#waiting.subarray(0, count);
    this.#waiting = this.#waiting.subarray(count);
    return taken;
  }

  /** Yields this many bytes as they come, or fewer when the stream ends. */
  async *next(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#waiting.length === 0 && !(await this.has(1))) return;
      const part = this.take(Math.min(left, this.#waiting.length));
      left -= part.length;
      yield part;
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    while (this.#waiting.length > 0 || (await this.has(1))) yield this.take(this.#waiting.length);
  }
}
