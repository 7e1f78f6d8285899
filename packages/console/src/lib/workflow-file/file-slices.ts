/** The number of bytes that one read takes from the disk: large files are never in memory as a whole. */
const windowBytes = 256 * 1024;

/** Reads parts of a file in slices, so that a picture of 100 MB costs no more memory than a small one. */
export class FileSlices {
  readonly #file: Blob;
  #window = new Uint8Array();
  #windowStart = 0;

  constructor(file: Blob) {
    this.#file = file;
  }

  get size(): number {
    return this.#file.size;
  }

  /** Returns fewer bytes than asked for at the end of the file. */
  async read(start: number, length: number): Promise<Uint8Array> {
    const end = Math.min(start + length, this.#file.size);
    if (start >= end) return new Uint8Array();
    const isHeld = start >= this.#windowStart && end <= this.#windowStart + this.#window.length;
    if (!isHeld) {
      const slice = this.#file.slice(start, Math.max(end, start + windowBytes));
      this.#window = new Uint8Array(await slice.arrayBuffer());
      this.#windowStart = start;
    }
    return this.#window.subarray(start - this.#windowStart, end - this.#windowStart);
  }
}

export function latinText(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes);
}

export function utf8Text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
