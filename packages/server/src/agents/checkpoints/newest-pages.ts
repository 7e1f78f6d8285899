import { placeOf } from './places.ts';
import type { CheckpointRow } from './tables.ts';

/** Number of rows that a list reads at once. */
const pageSize = 50;

type ReadPage = (
  isPlaced: boolean,
  page: { after: CheckpointRow | undefined; limit: number },
) => Promise<CheckpointRow[]>;

/**
 * Yields rows in pages, the newest first, at most `limit` in all. Rows whose ids are their places and rows with places of their
 * own are read apart, each once, and merged.
 */
export async function* pagesOf(limit: number, read: ReadPage): AsyncGenerator<CheckpointRow[]> {
  const lines = [new Line(read, false), new Line(read, true)];
  for (let left = limit; left > 0; ) {
    const size = Math.min(left, pageSize);
    for (const line of lines) await line.fill(size);
    const newest = lines
      .flatMap(({ rows }) => rows)
      .sort(byPlace)
      .slice(0, size);
    for (const line of lines) line.take(new Set(newest));
    if (newest.length > 0) yield newest;
    if (newest.length < size) return;
    left -= newest.length;
  }
}

/** The rows of one kind that were read and not yielded yet: a page at most. */
class Line {
  rows: CheckpointRow[] = [];
  readonly #read: ReadPage;
  readonly #isPlaced: boolean;
  #after: CheckpointRow | undefined;
  #isOver = false;

  constructor(read: ReadPage, isPlaced: boolean) {
    this.#read = read;
    this.#isPlaced = isPlaced;
  }

  async fill(size: number): Promise<void> {
    const limit = size - this.rows.length;
    if (this.#isOver || limit <= 0) return;
    const more = await this.#read(this.#isPlaced, { after: this.#after, limit });
    this.#isOver = more.length < limit;
    this.#after = more.at(-1) ?? this.#after;
    this.rows.push(...more);
  }

  take(taken: ReadonlySet<CheckpointRow>): void {
    this.rows = this.rows.filter((row) => !taken.has(row));
  }
}

/** The order of the pages that are read. */
function byPlace(one: CheckpointRow, other: CheckpointRow): number {
  return (
    descending(placeOf(one), placeOf(other)) ||
    descending(one.thread_id, other.thread_id) ||
    descending(one.checkpoint_ns, other.checkpoint_ns)
  );
}

function descending(one: string, other: string): number {
  return one < other ? 1 : one > other ? -1 : 0;
}
