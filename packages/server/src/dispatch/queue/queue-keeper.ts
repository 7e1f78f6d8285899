import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Requirement } from '../graphs/capability.ts';
import type { TaskRow } from '../tables.ts';
import type { AttemptStore } from '../tasks/attempt-store.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { avoidancesOf } from './avoidance.ts';
import type { Matchmaker } from './matchmaker.ts';
import type { Pauses } from './pauses.ts';
import { pendingOf } from './pending-task.ts';

interface KeeperOptions {
  tasks: Pick<TaskStore, 'queuedAfter' | 'queuedIdsAfter' | 'queuedStateAfter' | 'queuedAmong' | 'counts'>;
  attempts: Pick<AttemptStore, 'ofEach'>;
  queue: Pick<Matchmaker, 'add' | 'get' | 'has' | 'ids' | 'moveToFront' | 'remove' | 'size'>;
  pauses: Pick<Pauses, 'load'>;
  /** The time for which a task avoids an instance the first time. */
  avoidMs: number;
  /** Other replicas change the rows as well. */
  isShared: boolean;
  /** Returns true while someone here needs what other replicas do at once. */
  isUrgent?: () => boolean;
  /** Compares other parts with their rows, together with the queue. */
  alongside: () => Promise<void>;
  clock: Clock;
  onFault: (error: unknown) => void;
  timer?: Timer;
}

const rowsAtOnce = 2_000;
const sweepEveryMs = 15_000;
/** A request of another replica that this one missed is found within this time, or the longer one where no one listens. */
const sharedSweepEveryMs = { urgent: 2_000, usual: 10_000 };

/**
 * Keeps the queue in memory equal to the rows: filled from them at start, then checked for tasks that are missing, for
 * instance after a write that succeeded although its answer was lost. A task that is added twice is claimed once. The
 * same goes for pauses. With several replicas tasks that wait no more are taken out as well, and it looks more often.
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

  /** One sweep at a time. */
  async sweep(): Promise<void> {
    const swept = this.#sweeping.then(() => this.#sweep());
    this.#sweeping = swept.catch(() => undefined);
    return swept;
  }

  async #sweep(): Promise<void> {
    if (this.#isClosed) return;
    const { pauses, isShared, alongside } = this.#options;
    await pauses.load();
    if (isShared) await this.#compare();
    else await this.#addMissing();
    await alongside();
  }

  async #addMissing(): Promise<void> {
    const { tasks, queue } = this.#options;
    const { pending } = await tasks.counts();
    if (pending <= queue.size) return;
    for (let lastId = ''; !this.#isClosed; ) {
      const ids = await tasks.queuedIdsAfter(lastId, rowsAtOnce);
      await this.#addMissingOf(ids, lastId);
      if (ids.length < rowsAtOnce) return;
      lastId = ids.at(-1) ?? lastId;
    }
  }

  async #compare(): Promise<void> {
    const { tasks, queue } = this.#options;
    const unseen = new Set(queue.ids);
    for (let lastId = ''; !this.#isClosed; ) {
      const rows = await tasks.queuedStateAfter(lastId, rowsAtOnce);
      for (const row of rows) {
        unseen.delete(row.id);
        this.#correct(row);
      }
      await this.#addMissingOf(
        rows.map(({ id }) => id),
        lastId,
      );
      lastId = rows.at(-1)?.id ?? lastId;
      if (rows.length < rowsAtOnce) break;
    }
    const queued = await tasks.queuedAmong([...unseen]);
    for (const id of unseen) if (!queued.has(id)) queue.remove(id);
  }

  /** A task that was tried, or moved to the front, since it was put into the queue here. */
  #correct({ id, attempt, frontAt }: Pick<TaskRow, 'id' | 'attempt' | 'frontAt'>): void {
    const { queue } = this.#options;
    const task = queue.get(id);
    if (!task) return;
    const frontMs = frontAt === null ? null : Date.parse(frontAt);
    if (task.attempt !== attempt) queue.remove(id);
    else if (frontMs !== null && frontMs !== task.frontMs) queue.moveToFront(id, frontMs);
  }

  /** Neighbours are read together: a replica that has missed news misses many tasks in a row. */
  async #addMissingOf(ids: readonly string[], afterId: string): Promise<void> {
    const { queue } = this.#options;
    let known = afterId;
    let missing = 0;
    for (const id of ids) {
      if (!queue.has(id)) {
        missing += 1;
        continue;
      }
      if (missing > 0) await this.#addAfter(known, missing);
      known = id;
      missing = 0;
    }
    if (missing > 0) await this.#addAfter(known, missing);
  }

  #plan(): void {
    if (this.#isClosed) return;
    const { isShared, isUrgent = () => true, onFault } = this.#options;
    this.#stopTimer = this.#timer(
      () => {
        void this.sweep()
          .catch(onFault)
          .then(() => this.#plan());
      },
      isShared ? sharedSweepEveryMs[isUrgent() ? 'urgent' : 'usual'] : sweepEveryMs,
    );
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
