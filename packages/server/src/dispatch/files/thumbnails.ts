import type { ThumbnailSize } from '@switchyard/contract/dispatch/file';
import { AppError } from '../../lib/app-error.ts';
import { Shares } from '../../lib/shares.ts';
import type { BlobStore } from '../../platform/files/blob-store.ts';
import { requirePicture, shrinkPicture } from '../../platform/pictures/shrink-picture.ts';
import type { ThumbnailCache } from '../../platform/pictures/thumbnail-cache.ts';
import type { FileRow } from './stored-file-store.ts';

interface ThumbnailsOptions {
  content: Pick<BlobStore, 'useFile'>;
  cache: Pick<ThumbnailCache, 'read' | 'keep'>;
  /** For tests. */
  shrink?: typeof shrinkPicture;
}

/** Two leave the other threads of the process to the disk and to passwords. */
const madeAtOnce = 2;
/** Pictures that are made or wait, for one owner of files and for all. A page of a gallery has 200. */
const limits = { each: 256, together: 1_024 };
const retryAfterSeconds = 5;

/** Thumbnails of stored pictures, each made once, a few at a time. */
export class Thumbnails {
  readonly #options: Required<ThumbnailsOptions>;
  readonly #making = new Map<string, Promise<Buffer>>();
  readonly #shares = new Shares(limits);
  readonly #waiting: (() => void)[] = [];
  #atWork = 0;

  constructor({ shrink = shrinkPicture, ...options }: ThumbnailsOptions) {
    this.#options = { ...options, shrink };
  }

  async of(row: Pick<FileRow, 'owner' | 'sha256' | 'contentType'>, edge: ThumbnailSize): Promise<Buffer> {
    requirePicture(row.contentType);
    const key = `${row.sha256}-${edge}`;
    const begun = this.#making.get(key);
    if (begun !== undefined) return begun;
    const kept = await this.#options.cache.read(row.sha256, edge);
    if (kept) return kept;
    return this.#making.get(key) ?? this.#begin(key, row, edge);
  }

  #begin(key: string, row: Pick<FileRow, 'owner' | 'sha256'>, edge: ThumbnailSize): Promise<Buffer> {
    if (this.#shares.take(row.owner) !== 'taken') {
      throw new AppError('thumbnails_busy', { retryAfterSeconds });
    }
    const making = this.#make(row.sha256, edge).finally(() => {
      this.#shares.give(row.owner);
      this.#making.delete(key);
    });
    this.#making.set(key, making);
    return making;
  }

  async #make(sha256: string, edge: ThumbnailSize): Promise<Buffer> {
    const { content, cache, shrink } = this.#options;
    const bytes = await this.#inTurn(() => content.useFile(sha256, (path) => shrink(path, edge)));
    // The next picture is made while the disk writes this one.
    await cache.keep(sha256, edge, bytes);
    return bytes;
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#atWork -= 1;
    }
  }

  /** Resolves when this picture may be made. One that ends hands its place to the first that waits. */
  async #turn(): Promise<void> {
    if (this.#atWork >= madeAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#atWork += 1;
  }
}
