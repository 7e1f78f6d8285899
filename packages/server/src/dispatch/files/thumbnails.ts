import type { ThumbnailSize } from '@switchyard/contract/dispatch/file';
import type { BlobStore } from '../../platform/files/blob-store.ts';
import { requirePicture } from '../../platform/pictures/picture-library.ts';
import { shrinkPicture } from '../../platform/pictures/shrink-picture.ts';
import type { ThumbnailCache } from '../../platform/pictures/thumbnail-cache.ts';
import { PictureWork } from './picture-work.ts';
import type { FileRow } from './stored-file-store.ts';

interface ThumbnailsOptions {
  content: Pick<BlobStore, 'useFile'>;
  cache: Pick<ThumbnailCache, 'read' | 'keep'>;
  /** Other work on pictures takes turns with this one. */
  work?: PictureWork;
  /** For tests. */
  shrink?: typeof shrinkPicture;
}

interface Wanted {
  sha256: string;
  edge: ThumbnailSize;
  caller: string;
}

/** Thumbnails of stored pictures, each made once, a few at a time. */
export class Thumbnails {
  readonly #options: Required<ThumbnailsOptions>;
  readonly #making = new Map<string, Promise<Buffer>>();

  constructor({ shrink = shrinkPicture, work = new PictureWork(), ...options }: ThumbnailsOptions) {
    this.#options = { ...options, work, shrink };
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

  #begin(key: string, { sha256, edge, caller }: Wanted): Promise<Buffer> {
    const { content, cache, work, shrink } = this.#options;
    const making = work
      .run(
        caller,
        () => content.useFile(sha256, (path) => shrink(path, edge)),
        (bytes) => cache.keep(sha256, edge, bytes),
      )
      .finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }
}
