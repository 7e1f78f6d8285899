import { AppError } from '../../lib/app-error.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { linkedAbort } from '../../lib/async/linked-abort.ts';
import { UserTurns } from '../../lib/async/user-turns.ts';
import type { S3Objects, StoredPart } from './s3-objects.ts';

/** S3 takes no smaller part, except the last. */
const minPartBytes = 5 * 1024 * 1024;
const maxPartBytes = 16 * 1024 * 1024;
const maxParts = 10_000;
/** Content of this size needs no part, so it never waits behind large files. */
const smallBytes = 256 * 1024;
/** The number of parts in memory, for all uploads together. */
const partsInMemory = 24;
/** The number of parts of one upload that are on their way. */
const partsOnTheWay = 3;

/** The memory that all uploads of a store share. Uploads that need more take turns. */
export class PartMemory {
  readonly #turns = new UserTurns({ atOnce: partsInMemory, atOncePerUser: partsInMemory });

  /** Returns the function that gives the part back. */
  async take(upload: string, signal: AbortSignal): Promise<() => void> {
    const begun = newDeferred();
    const { promise: over, resolve: release } = newDeferred();
    const work = async () => {
      begun.resolve();
      await over;
    };
    // It rejects only while it waits, and then this function rejects as well.
    await Promise.race([begun.promise, this.#turns.run(upload, work, signal)]);
    return release;
  }
}

interface Part {
  buffer: Buffer<ArrayBuffer>;
  filledBytes: number;
  release: () => void;
}

interface UploadOptions {
  objects: S3Objects;
  key: string;
  memory: PartMemory;
  maxBytes: number;
  signal: AbortSignal | undefined;
}

/** Collects content in memory and sends it: at once at the end, or in parts once it is larger than one. */
export class S3Upload {
  readonly #objects: S3Objects;
  readonly #key: string;
  readonly #memory: PartMemory;
  readonly #partBytes: number;
  readonly #life: ReturnType<typeof linkedAbort>;
  readonly #onTheWay = new Set<Promise<void>>();
  readonly #stored: StoredPart[] = [];
  #small: Buffer[] = [];
  #smallBytes = 0;
  #part: Part | null = null;
  #sentParts = 0;
  #uploadId: string | null = null;
  #fault: { error: unknown } | null = null;

  constructor({ objects, key, memory, maxBytes, signal }: UploadOptions) {
    this.#objects = objects;
    this.#key = key;
    this.#memory = memory;
    this.#partBytes = Math.min(Math.max(minPartBytes, Math.ceil(maxBytes / maxParts)), maxPartBytes);
    this.#life = linkedAbort(signal);
  }

  async write(step: Buffer): Promise<void> {
    if (!this.#part && this.#sentParts === 0 && this.#smallBytes + step.length <= smallBytes) {
      this.#small.push(step);
      this.#smallBytes += step.length;
      return;
    }
    const small = this.#small;
    this.#small = [];
    for (const each of [...small, step]) await this.#fill(each);
  }

  /** Sends what is left. The content is stored when it resolves. */
  async finish({ sha256, sizeBytes }: { sha256: string; sizeBytes: number }): Promise<void> {
    const { signal } = this.#life;
    if (this.#sentParts === 0) {
      const body = this.#part?.buffer.subarray(0, this.#part.filledBytes) ?? Buffer.concat(this.#small);
      await this.#objects.put(this.#key, body, { sha256, signal });
      return;
    }
    if (this.#part) await this.#send(this.#part);
    await Promise.all(this.#onTheWay);
    this.#throwFault();
    const uploadId = this.#uploadId ?? '';
    const parts = this.#stored.sort((one, other) => one.number - other.number);
    await this.#objects.endParts({ key: this.#key, uploadId }, { parts, sizeBytes, signal });
    this.#uploadId = null;
  }

  /** Gives everything back. An upload in parts that has not finished is aborted; the sweep does what fails here. */
  async close(): Promise<void> {
    this.#life.abort(new Error('The upload is over.'));
    this.#life.release();
    this.#part?.release();
    this.#part = null;
    await Promise.all(this.#onTheWay);
    if (this.#uploadId === null) return;
    const upload = { key: this.#key, uploadId: this.#uploadId };
    await this.#objects.abortParts(upload).catch(() => undefined);
  }

  async #fill(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      this.#part ??= await this.#newPart();
      const part = this.#part;
      const copiedBytes = bytes.copy(part.buffer, part.filledBytes, from);
      part.filledBytes += copiedBytes;
      from += copiedBytes;
      // A full part is kept until more comes, so that content of exactly one part is sent at once.
      if (part.filledBytes === part.buffer.length && from < bytes.length) await this.#send(part);
    }
  }

  async #newPart(): Promise<Part> {
    this.#throwFault();
    const release = await this.#memory.take(this.#key, this.#life.signal);
    return { buffer: Buffer.allocUnsafeSlow(this.#partBytes), filledBytes: 0, release };
  }

  async #send(part: Part): Promise<void> {
    while (this.#onTheWay.size >= partsOnTheWay) await Promise.race(this.#onTheWay);
    this.#throwFault();
    this.#sentParts += 1;
    if (this.#sentParts > maxParts) throw new AppError('file_too_large');
    const { signal } = this.#life;
    this.#uploadId ??= await this.#objects.beginParts(this.#key, signal);
    this.#part = null;
    const target = { key: this.#key, uploadId: this.#uploadId, number: this.#sentParts };
    const sending = this.#objects
      .putPart(target, part.buffer.subarray(0, part.filledBytes), signal)
      .then(
        (stored) => void this.#stored.push(stored),
        (error: unknown) => {
          this.#fault ??= { error };
        },
      )
      .finally(() => {
        part.release();
        this.#onTheWay.delete(sending);
      });
    this.#onTheWay.add(sending);
  }

  #throwFault(): void {
    if (this.#fault) throw this.#fault.error;
  }
}
