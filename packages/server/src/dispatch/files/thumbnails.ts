import type { ThumbnailSize } from '@switchyard/contract/dispatch/file';
import { AppError } from '../../lib/app-error.ts';
import { UserTurns } from '../../lib/async/user-turns.ts';
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
/** Pictures that are made or wait, for one caller and for all. A page of a gallery has 200. */
const limits = { each: 600, together: 2_000 };
const retryAfterSeconds = 5;

interface Wanted {
  sha256: string;
  edge: ThumbnailSize;
  caller: string;
}

/** Thumbnails of stored pictures, each made once, a few at a time. */
export class Thumbnails {
  readonly #options: Required<ThumbnailsOptions>;
  readonly #making = new Map<string, Promise<Buffer>>();
  readonly #shares = new Shares(limits);
  readonly #turns = new UserTurns({ atOnce: madeAtOnce, atOncePerUser: madeAtOnce });

  constructor({ shrink = shrinkPicture, ...options }: ThumbnailsOptions) {
    this.#options = { ...options, shrink };
  }

  /** Callers take turns. `caller` is a user, or what all others have in common. */
  async of(
    row: Pick<FileRow, 'sha256' | 'contentType'>,
    { edge, caller }: { edge: ThumbnailSize; caller: string },
  ): Promise<Buffer> {
    requirePicture(row.contentType);
    const key = `${row.sha256}-${edge}`;
    const begun = this.#making.get(key);
    if (begun !== undefined) return begun;
    const kept = await this.#options.cache.read(row.sha256, edge);
    if (kept) return kept;
    return this.#making.get(key) ?? this.#begin(key, { sha256: row.sha256, edge, caller });
  }

  #begin(key: string, wanted: Wanted): Promise<Buffer> {
    if (this.#shares.take(wanted.caller) !== 'taken') {
      throw new AppError('thumbnails_busy', { retryAfterSeconds });
    }
    const making = this.#make(wanted).finally(() => {
      this.#shares.give(wanted.caller);
      this.#making.delete(key);
    });
    this.#making.set(key, making);
    return making;
  }

  async #make({ sha256, edge, caller }: Wanted): Promise<Buffer> {
    const { content, cache, shrink } = this.#options;
    const bytes = await this.#turns.run(caller, () => content.useFile(sha256, (path) => shrink(path, edge)));
    // The next picture is made while the disk writes this one.
    await cache.keep(sha256, edge, bytes);
    return bytes;
  }
}
