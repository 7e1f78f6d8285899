/** A body that does not match its headers. */
export class MalformedBody extends Error {}

/** Reads a byte stream up to a delimiter, without holding more of it than one chunk and the delimiter. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>, first: Buffer) {
    this.#source = source[Symbol.asyncIterator]();
    this.#held = first;
  }

  /** Returns all bytes before the delimiter and consumes the delimiter. Throws when the stream ends first. */
  async *until(delimiter: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const index = this.#held.indexOf(delimiter);
      if (index >= 0) {
        if (index > 0) yield this.#held.subarray(0, index);
        this.#held = this.#held.subarray(index + delimiter.length);
        return;
      }
      const safe = this.#held.length - delimiter.length + 1;
      if (safe > 0) {
        yield this.#held.subarray(0, safe);
        this.#held = this.#held.subarray(safe);
      }
      await this.#more();
    }
  }

  async textUntil(delimiter: Buffer, maxBytes: number): Promise<string> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.until(delimiter)) {
      length += chunk.length;
      if (length > maxBytes)
        throw new MalformedBody(`More than ${maxBytes} bytes where a short text belongs.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  async take(length: number): Promise<string> {
    while (this.#held.length < length) await this.#more();
    const text = this.#held.subarray(0, length).toString('latin1');
    this.#held = this.#held.subarray(length);
    return text;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#source.next();
    if (done === true) throw new MalformedBody('The body ends in the middle.');
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
  }
}
