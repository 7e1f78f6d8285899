import { AppError } from '../../lib/app-error.ts';
import { Shares } from '../../lib/shares.ts';
import type { FileRow } from './stored-file-store.ts';
import type { StoredFiles } from './stored-files.ts';
import { uniqueNames, type ZipStream, zipStream } from './zip-archive-stream.ts';

/** Archives on their way, for one user and for all. Each holds a file and a connection. */
const limits = { each: 4, together: 64 };
const retryAfterSeconds = 10;

/** Selections of files as zip archives. */
export class FileArchives {
  readonly #files: Pick<StoredFiles, 'contentOf'>;
  readonly #shares = new Shares(limits);

  constructor({ files }: { files: Pick<StoredFiles, 'contentOf'> }) {
    this.#files = files;
  }

  /** The caller sends the stream or destroys it: until then it counts as one of the user's. */
  open(userId: string, rows: readonly FileRow[]): ZipStream {
    if (this.#shares.take(userId) !== 'taken') throw new AppError('downloads_busy', { retryAfterSeconds });
    try {
      return this.#zip(userId, rows);
    } catch (error) {
      this.#shares.give(userId);
      throw error;
    }
  }

  #zip(userId: string, rows: readonly FileRow[]): ZipStream {
    const names = uniqueNames(rows.map(({ filename }) => filename));
    const archive = zipStream(
      rows.map((row, index) => ({
        name: names[index] ?? row.id,
        sizeBytes: row.size,
        modifiedMs: Date.parse(row.createdAt),
        open: () => this.#files.contentOf(row),
      })),
    );
    archive.stream.once('close', () => this.#shares.give(userId));
    return archive;
  }
}
