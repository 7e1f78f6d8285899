import { AppError } from '../../lib/app-error.ts';
import type { Job, Jobs, NewJob } from '../../platform/jobs/jobs.ts';

const waitForRoomMs = 5_000;

interface StoredWorkOptions<Row extends { id: string; waitsFor: string | null }, Item> {
  kind: string;
  jobs: Pick<Jobs, 'register' | 'add'>;
  /** The items that are worked on at once: they share commits, and leave the writer to other requests as well. */
  lanes: number;
  openIds: () => Promise<string[]>;
  /** Returns undefined for work that is finished or deleted. */
  find: (id: string) => Promise<Row | undefined>;
  /** Returns the open items behind this one, in their order. */
  itemsAfter: (row: Row, last: Item | undefined) => Promise<readonly Item[]>;
  /** Returns the function that does one item. What it has done is in the row of the item. */
  begin: (row: Row) => Promise<(item: Item) => Promise<void>>;
  /** Stores why the work does not go on; null when it does again. */
  setWait: (row: Row, waitsFor: string | null) => Promise<void>;
  finish: (row: Row) => Promise<void>;
}

/**
 * Works through the items of a stored thing, such as the tasks of a batch. Each item has its outcome in its own row, so that the
 * work goes on where a process has left it. While the queue is full, the rest waits.
 */
export class StoredWork<Row extends { id: string; waitsFor: string | null }, Item> {
  readonly #options;

  constructor(options: StoredWorkOptions<Row, Item>) {
    this.#options = options;
    options.jobs.register(options.kind, (job) => this.#run(job), { concurrency: 2 });
  }

  /** Goes on with work whose jobs have died. */
  async start(): Promise<void> {
    const { openIds, jobs } = this.#options;
    for (const id of await openIds()) await jobs.add(this.jobOf(id));
  }

  jobOf(id: string): NewJob {
    return { kind: this.#options.kind, key: id, payload: {} };
  }

  async #run({ key, signal }: Job): Promise<void> {
    const { find, itemsAfter, finish } = this.#options;
    const row = await find(key ?? '');
    if (!row) return;
    for (let last: Item | undefined; ; ) {
      const items = await itemsAfter(row, last);
      if (items.length === 0) break;
      if (!(await this.#doAll(row, items, signal))) return this.#waitForRoom(row);
      last = items.at(-1);
    }
    await finish(row);
  }

  /** Returns false when the queue takes no more tasks for now. */
  async #doAll(row: Row, items: readonly Item[], signal: AbortSignal): Promise<boolean> {
    const { begin, lanes, setWait } = this.#options;
    const work = await begin(row);
    for (let start = 0; start < items.length; start += lanes) {
      signal.throwIfAborted();
      const part = items.slice(start, start + lanes);
      const done = await Promise.all(part.map((item) => hasRoom(work(item))));
      if (done.includes(false)) return false;
      if (row.waitsFor === null) continue;
      row.waitsFor = null;
      await setWait(row, null);
    }
    return true;
  }

  async #waitForRoom(row: Row): Promise<void> {
    const { setWait, jobs } = this.#options;
    await setWait(row, 'The queue is full. It goes on when there is room.');
    await jobs.add({ ...this.jobOf(row.id), waitMs: waitForRoomMs });
  }
}

async function hasRoom(work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'queue_full') return false;
    throw error;
  }
}
