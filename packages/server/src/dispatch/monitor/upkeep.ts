import { type Retention, systemLimits } from '@switchyard/contract/system';
import { toIso } from '../../lib/clock.ts';
import { firstIdAt } from '../../lib/ids.ts';
import type { FileUsage, UpkeepStore } from './upkeep-store.ts';

interface Swept {
  what: Retention['what'];
  keptMs: number | null;
  /** The job that deletes what is old. */
  job: string;
  old: (beforeMs: number) => Promise<{ count: number; bytes: number | null }>;
}

/** Reports what the area stores and what its next sweeps delete. */
export class DispatchUpkeep {
  readonly #options;

  constructor(options: {
    store: UpkeepStore;
    /** Null: files are kept for ever. */
    filesKeptMs: number | null;
    deliveriesKeptMs: number;
    instanceEventsKeptMs: number;
  }) {
    this.#options = options;
  }

  async storage(users: number): Promise<{ bytes: number; count: number; top: FileUsage[] }> {
    const { store } = this.#options;
    const [total, top] = await Promise.all([store.totalUsage(), store.topUsers(users)]);
    return { ...total, top };
  }

  async retention(nextOf: (job: string) => number | null, nowMs: number): Promise<Retention[]> {
    return Promise.all(
      this.#swept().map(async ({ what, keptMs, job, old }) => {
        const nextAtMs = nextOf(job);
        const { count, bytes } =
          keptMs === null ? { count: 0, bytes: null } : await old((nextAtMs ?? nowMs) - keptMs);
        return {
          what,
          keptSeconds: keptMs === null ? null : Math.round(keptMs / 1000),
          nextAt: nextAtMs === null ? null : toIso(nextAtMs),
          count: Math.min(count, systemLimits.counted),
          countIsMinimum: count > systemLimits.counted,
          bytes,
        };
      }),
    );
  }

  #swept(): Swept[] {
    const { store, filesKeptMs, deliveriesKeptMs, instanceEventsKeptMs } = this.#options;
    const limit = systemLimits.counted + 1;
    return [
      {
        what: 'files',
        keptMs: filesKeptMs,
        job: 'dispatch.sweep-files',
        old: (beforeMs) => store.filesBefore(toIso(beforeMs), limit),
      },
      {
        what: 'webhook_deliveries',
        keptMs: deliveriesKeptMs,
        job: 'dispatch.forget-deliveries',
        old: async (beforeMs) => ({
          count: await store.deliveriesBefore(toIso(beforeMs), limit),
          bytes: null,
        }),
      },
      {
        what: 'instance_events',
        keptMs: instanceEventsKeptMs,
        job: 'dispatch.forget-instance-events',
        old: async (beforeMs) => ({
          count: await store.instanceEventsUntil(firstIdAt(beforeMs), limit),
          bytes: null,
        }),
      },
    ];
  }
}
