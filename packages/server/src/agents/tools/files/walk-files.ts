import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, steadyClock } from '../../../lib/clock.ts';
import type { WorkspaceEntry } from '../workspace.ts';

export interface WalkedEntry extends WorkspaceEntry {
  path: string;
  /** Relative to the folder in which the walk began. */
  relativePath: string;
}

export interface WalkLimits {
  /** Maximum number of entries that the walk looks at. */
  entries: number;
  timeMs: number;
  /** Maximum number of levels below the folder in which the walk begins. */
  depth: number;
}

/** The walk gives other work its turn this often, however long it takes. */
const turnMs = 10;

/** A limited walk through a folder and everything below it. A folder comes before its entries, which are sorted by name. */
export class Walk {
  readonly #options;
  readonly #clock: Clock;
  readonly #endMs: number;
  #turnMs: number;
  #seen = 0;
  #stoppedBy: string | null = null;

  constructor(options: {
    list: (path: string) => Promise<WorkspaceEntry[]>;
    limits: WalkLimits;
    signal: AbortSignal | undefined;
    clock?: Clock;
  }) {
    this.#options = options;
    this.#clock = options.clock ?? steadyClock;
    this.#turnMs = this.#clock();
    this.#endMs = this.#turnMs + options.limits.timeMs;
  }

  /** The limit that ended the walk early, in words; null when the walk was complete. */
  get stoppedBy(): string | null {
    return this.#stoppedBy;
  }

  get leftMs(): number {
    return Math.max(0, this.#endMs - this.#clock());
  }

  async *below(folder: string): AsyncGenerator<WalkedEntry> {
    yield* this.#inside(await this.#options.list(folder), { folder, relative: '', depth: 1 });
  }

  async *#inside(
    entries: WorkspaceEntry[],
    { folder, relative, depth }: { folder: string; relative: string; depth: number },
  ): AsyncGenerator<WalkedEntry> {
    for (const entry of entries) {
      await this.#rest();
      if (this.#isOver()) return;
      this.#seen += 1;
      const path = `${folder}/${entry.name}`;
      const relativePath = `${relative}${entry.name}`;
      yield { ...entry, path, relativePath };
      if (entry.kind === 'file' || depth >= this.#options.limits.depth) continue;
      // A folder that was removed meanwhile has no entries.
      const below = await this.#options.list(path).catch(() => []);
      yield* this.#inside(below, { folder: path, relative: `${relativePath}/`, depth: depth + 1 });
    }
  }

  async #rest(): Promise<void> {
    if (this.#clock() - this.#turnMs < turnMs) return;
    await nextTurn();
    this.#turnMs = this.#clock();
  }

  #isOver(): boolean {
    const { limits, signal } = this.#options;
    signal?.throwIfAborted();
    if (this.#stoppedBy !== null) return true;
    if (this.#seen >= limits.entries) this.#stoppedBy = `${limits.entries} files and folders`;
    else if (this.leftMs === 0) this.#stoppedBy = `${limits.timeMs / 1000} seconds`;
    return this.#stoppedBy !== null;
  }
}

/** Returns the line that models read; `more` is added to the description of a file. */
export function entryLine({ path, kind, sizeBytes }: WalkedEntry, more = ''): string {
  return kind === 'folder' ? `${path}/` : `${path} (${sizeBytes} bytes${more})`;
}
