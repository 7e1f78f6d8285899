import type { Overview } from '@switchyard/contract/dispatch/monitor';
import { minuteMs, secondMs } from '../../lib/time-units.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import type { DispatchEvent } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { Instances } from '../fleet/instances.ts';
import type { InstanceStore } from '../instances/instance-store.ts';
import type { Pauses } from '../queue/pauses.ts';
import type { TaskStore } from '../tasks/task-store.ts';

/** The number of waiting times of the newest starts that are kept, for the percentiles. */
const waitsKept = 1_000;
const windowMs = 5 * minuteMs;

/** The counts of the overview. Those of tasks are kept counters, not counted rows. */
export class Monitor {
  readonly #options;
  readonly #startedAtMs: number;
  readonly #waits: number[] = [];
  /** Ends within a busy window are counted by the second, so that a fast pool uses little memory. */
  readonly #endsBySecond = new Map<number, number>();
  readonly #stop: () => void;

  constructor(
    options: Pick<DispatchParts, 'events' | 'clock' | 'steadyClock'> & {
      together: ReadTogether<{
        instances: Pick<InstanceStore, 'list'>;
        tasks: Pick<TaskStore, 'counts' | 'oldestPending'>;
      }>;
      instances: Pick<Instances, 'view'>;
      pauses: Pick<Pauses, 'whole' | 'pools'>;
    },
  ) {
    this.#options = options;
    this.#startedAtMs = options.steadyClock();
    this.#stop = options.events.listenHere((event) => this.#notice(event));
  }

  async overview(): Promise<Overview> {
    const found = await this.#options.together(async (stores) => ({
      rows: await stores.instances.list(),
      counts: await stores.tasks.counts(),
      oldest: await stores.tasks.oldestPending(),
    }));
    return this.view(found);
  }

  /** The counts from rows that were read together with others. */
  view({
    rows,
    counts,
    oldest,
  }: {
    rows: Awaited<ReturnType<InstanceStore['list']>>;
    counts: Awaited<ReturnType<TaskStore['counts']>>;
    oldest: string | null;
  }): Overview {
    const { instances, pauses, clock } = this.#options;
    const all = rows.map((row) => instances.view(row));
    const waits = [...this.#waits].sort((a, b) => a - b);
    return {
      totalInstances: all.length,
      aliveInstances: all.filter(({ alive }) => alive).length,
      busyInstances: all.filter(({ busy }) => busy).length,
      disabledInstances: all.filter(({ enabled }) => !enabled).length,
      pendingTasks: counts.pending,
      runningTasks: counts.running,
      completedTasks: counts.completed,
      failedTasks: counts.failed,
      oldestPendingSeconds:
        oldest === null ? null : Math.max(Math.round((clock() - Date.parse(oldest)) / 1000), 0),
      tasksPerMinute: this.#tasksPerMinute(),
      waitMsP50: percentile(waits, 0.5),
      waitMsP95: percentile(waits, 0.95),
      paused: pauses.whole && { since: pauses.whole.since, reason: pauses.whole.reason },
      pausedPools: pauses.pools,
    };
  }

  /** Counts a task that has started, also one of another replica. */
  countStart({ createdAt }: { createdAt: string }): void {
    this.#waits.push(Math.max(this.#options.clock() - Date.parse(createdAt), 0));
    if (this.#waits.length > waitsKept) this.#waits.shift();
  }

  /** Counts a task that has ended, also one of another replica. */
  countEnd(): void {
    const second = Math.floor(this.#options.steadyClock() / secondMs);
    this.#endsBySecond.set(second, (this.#endsBySecond.get(second) ?? 0) + 1);
    const [oldest] = this.#endsBySecond.keys();
    if (oldest !== undefined && oldest < second - windowMs / secondMs) this.#endsBySecond.delete(oldest);
  }

  close(): void {
    this.#stop();
  }

  #notice(event: DispatchEvent): void {
    if (event.type === 'task_started') this.countStart(event.task);
    if (event.type === 'task_ended') this.countEnd();
  }

  #tasksPerMinute(): number {
    const now = this.#options.steadyClock();
    const from = Math.floor((now - windowMs) / secondMs);
    let ended = 0;
    for (const [second, count] of this.#endsBySecond) if (second >= from) ended += count;
    const minutes = Math.max(Math.min(now - this.#startedAtMs, windowMs) / 60_000, 1);
    return Math.round((ended / minutes) * 10) / 10;
  }
}

function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? null;
}
