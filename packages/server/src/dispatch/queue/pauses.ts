import type { QueuePauseRow } from '../tables.ts';
import type { PauseStore } from './pause-store.ts';

/**
 * The pauses that are in force, in memory, for the questions that scheduling asks about every task. The rows decide: a
 * claim looks at them once more.
 */
export class Pauses {
  readonly #store: Pick<PauseStore, 'list'>;
  readonly #onChange = new Set<() => void>();
  #all: readonly QueuePauseRow[] = [];
  #whole: QueuePauseRow | null = null;
  #pools: ReadonlyMap<string, QueuePauseRow> = new Map();
  #users: ReadonlyMap<string, QueuePauseRow> = new Map();
  #shown = '[]';

  constructor(store: Pick<PauseStore, 'list'>) {
    this.#store = store;
  }

  /** Called after each change, also after one that another replica made. */
  onChange(listener: () => void): void {
    this.#onChange.add(listener);
  }

  /** Reads the rows: at the start, after a change, and now and then for changes of other replicas. */
  async load(): Promise<void> {
    const rows = (await this.#store.list()).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const shown = JSON.stringify(rows);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#all = rows;
    this.#whole = rows.find(({ scope }) => scope === 'all') ?? null;
    this.#pools = byTarget(rows, 'pool');
    this.#users = byTarget(rows, 'user');
    for (const listener of this.#onChange) listener();
  }

  /** In the order of their keys. */
  get list(): readonly QueuePauseRow[] {
    return this.#all;
  }

  /** The pause of the whole queue. */
  get whole(): QueuePauseRow | null {
    return this.#whole;
  }

  get pools(): string[] {
    return [...this.#pools.keys()];
  }

  /** Returns why an instance with these tags is given no task; null when it is given tasks. */
  ofInstance(tags: readonly string[]): QueuePauseRow | null {
    if (this.#whole || this.#pools.size === 0) return this.#whole;
    const pool = tags.find((tag) => this.#pools.has(tag));
    return pool === undefined ? null : (this.#pools.get(pool) ?? null);
  }

  /** Returns why no task of this user starts; null when they start. The pause of an administrator goes before the user's own. */
  ofOwner(userId: string): QueuePauseRow | null {
    return this.#users.get(userId) ?? null;
  }
}

/** Its place in the list, and the cursor of a page that ends with it. */
export function keyOf({ scope, target, role }: Pick<QueuePauseRow, 'scope' | 'target' | 'role'>): string {
  return JSON.stringify([scope, target, role]);
}

function byTarget(
  rows: readonly QueuePauseRow[],
  wanted: QueuePauseRow['scope'],
): Map<string, QueuePauseRow> {
  const found = new Map<string, QueuePauseRow>();
  for (const row of rows) {
    if (row.scope !== wanted) continue;
    if (row.role === 'administrator' || !found.has(row.target)) found.set(row.target, row);
  }
  return found;
}
