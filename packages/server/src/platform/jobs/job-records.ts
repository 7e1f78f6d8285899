import { toIso } from '../../lib/clock.ts';
import type { JobRow, JobStore } from './job-store.ts';
import type { DeadJob, JobPayload, JobRecords } from './jobs.ts';

/** Reads what the rows say about jobs. */
export function recordsOver(store: JobStore): JobRecords {
  return {
    dead: async (limit) => (await store.listDead(limit)).map(asDeadJob),
    countDead: (diedBeforeMs) => store.countDead(diedBeforeMs),
    schedules: async () => {
      const rows = await store.listSchedules();
      return rows.map(({ kind, intervalMs, dueAtMs, runner, lastError }) => ({
        kind,
        everyMs: intervalMs ?? 0,
        nextAtMs: runner === null ? dueAtMs : null,
        lastError,
      }));
    },
  };
}

function asDeadJob({ id, kind, key, payload, attempt, lastError, diedAtMs }: JobRow): DeadJob {
  return {
    id,
    kind,
    key,
    payload: JSON.parse(payload) as JobPayload,
    attempts: attempt,
    lastError: lastError ?? '',
    diedAt: toIso(diedAtMs ?? 0),
  };
}
