import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { minuteMs } from '../../lib/time-units.ts';

export interface MeasuredFolders {
  takenAtMs: number;
  /** False when there were too many files to look at all. */
  isComplete: boolean;
  /** The bytes below `users`, by user. */
  byUser: ReadonlyMap<string, number>;
  thumbnails: number;
  other: number;
}

/** Looking at this many files takes about ten seconds on a slow disk. */
const defaultMaxFiles = 200_000;
const freshMs = 10 * minuteMs;
/** The files that the database and the content store count themselves. */
const countedElsewhere = /^(files|.*\.db(-wal|-shm)?)$/;

/**
 * The sizes of the folders that no table counts. They are measured in the background, at most once in ten minutes: the
 * caller gets the last result.
 */
export class FolderSizes {
  readonly #options;
  #last: MeasuredFolders | null = null;
  #measuring: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: {
    /** The data home, and the folder that replicas share where there is one. */
    homes: readonly string[];
    clock: Clock;
    onFault: (error: unknown) => void;
    maxFiles?: number;
  }) {
    this.#options = options;
  }

  /** Returns null while the folders are measured for the first time. */
  last(): MeasuredFolders | null {
    const { clock, onFault } = this.#options;
    const isFresh = this.#last !== null && clock() - this.#last.takenAtMs < freshMs;
    if (!isFresh && !this.#isClosed) {
      this.#measuring ??= this.#measure()
        .catch(onFault)
        .finally(() => {
          this.#measuring = null;
        });
    }
    return this.#last;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#measuring;
  }

  async #measure(): Promise<void> {
    const { homes, clock, maxFiles = defaultMaxFiles } = this.#options;
    const room = { files: maxFiles };
    const takenAtMs = clock();
    const byUser = new Map<string, number>();
    let thumbnails = 0;
    let other = 0;
    const sum = async (folder: string, entry: Dirent): Promise<number> => this.#sizeOf(folder, entry, room);
    for await (const { path, entry } of topEntriesOf(homes)) {
      if (entry.name === 'users') {
        for await (const user of entriesOf(path)) {
          const bytes = await sum(join(path, user.name), user);
          byUser.set(user.name, (byUser.get(user.name) ?? 0) + bytes);
        }
      } else if (entry.name === 'thumbnails') thumbnails += await sum(path, entry);
      else other += await sum(path, entry);
    }
    this.#last = { takenAtMs, isComplete: room.files > 0, byUser, thumbnails, other };
  }

  /** Links are not followed: what they point to is not ours. */
  async #sizeOf(path: string, entry: Dirent, room: { files: number }): Promise<number> {
    if (room.files <= 0 || this.#isClosed) return 0;
    if (!entry.isDirectory()) {
      room.files -= 1;
      return entry.isFile() ? sizeOfFile(path) : 0;
    }
    let bytes = 0;
    for await (const inner of entriesOf(path))
      bytes += await this.#sizeOf(join(path, inner.name), inner, room);
    return bytes;
  }
}

/** Returns what lies directly in the homes. One of them may lie in another. */
async function* topEntriesOf(homes: readonly string[]): AsyncGenerator<{ path: string; entry: Dirent }> {
  for (const home of homes) {
    for await (const entry of entriesOf(home)) {
      const path = join(home, entry.name);
      if (!countedElsewhere.test(entry.name) && !homes.includes(path)) yield { path, entry };
    }
  }
}

/** A folder that was removed meanwhile has no entries. */
async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(path);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

async function sizeOfFile(path: string): Promise<number> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (isGone(error)) return 0;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
