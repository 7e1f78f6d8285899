import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Requirement } from '../graphs/capability.ts';
import type { AttemptStore } from '../tasks/attempt-store.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { avoidancesOf } from './avoidance.ts';
import type { Matchmaker } from './matchmaker.ts';
import type { Pauses } from './pauses.ts';
import { pendingOf } from './pending-task.ts';

interface KeeperOptions {
  tasks: Pick<TaskStore, 'queuedAfter' | 'queuedIdsAfter' | 'counts'>;
  attempts: Pick<AttemptStore, 'ofEach'>;
  queue: Pick<Matchmaker, 'add' | 'has' | 'size'>;
  pauses: Pick<Pauses, 'load'>;
  /** How long a task avoids an instance the first time. */
  avoidMs: number;
  clock: Clock;
  onFault: (error: unknown) => void;
  timer?: Timer;
}

const rowsAtOnce = 2_000;
const sweepEveryMs = 15_000;

/**
 * Keeps the queue in memory equal to the rows: filled from them at start, then checked for tasks that are missing, for
 * instance after a write that succeeded although its answer was lost. A task that is added twice is claimed once. The
 * same goes for pauses, which another replica may have changed.
 */
export class QueueKeeper {
  readonly #options: KeeperOptions;
  readonly #timer: Timer;
  #stopTimer: () => void = () => undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  async start(): Promise<void> {
    await this.#options.pauses.load();
    await this.#addAfter('', Number.POSITIVE_INFINITY);
    this.#plan();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    await this.#sweeping;
  }

  async sweep(): Promise<void> {
    const { tasks, queue, pauses } = this.#options;
    await pauses.load();
    const { pending } = await tasks.counts();
    if (pending <= queue.size) return;
    for (let lastId = ''; !this.#isClosed; ) {
      const ids = await tasks.queuedIdsAfter(lastId, rowsAtOnce);
      let before = lastId;
      for (const id of ids) {
        if (!queue.has(id)) await this.#addAfter(before, 1);
        before = id;
      }
      if (ids.length < rowsAtOnce) return;
      lastId = before;
    }
  }

  #plan(): void {
    if (this.#isClosed) return;
    this.#stopTimer = this.#timer(() => {
      this.#sweeping = this.sweep()
        .catch(this.#options.onFault)
        .then(() => this.#plan());
    }, sweepEveryMs);
  }

  async #addAfter(afterId: string, max: number): Promise<void> {
    const { tasks, attempts, queue, avoidMs: firstMs, clock } = this.#options;
    let lastId = afterId;
    for (let left = max; left > 0 && !this.#isClosed; left -= rowsAtOnce) {
      const wanted = Math.min(left, rowsAtOnce);
      const rows = await tasks.queuedAfter(lastId, wanted);
      const tried = await attempts.ofEach(rows.filter(({ attempt }) => attempt > 0).map(({ id }) => id));
      for (const { requirement, ...row } of rows) {
        const avoids = avoidancesOf(tried.get(row.id) ?? [], { nowMs: clock(), firstMs });
        queue.add(pendingOf(row, JSON.parse(requirement) as Requirement, avoids));
      }
      lastId = rows.at(-1)?.id ?? lastId;
      if (rows.length < wanted) return;
    }
  }
}
