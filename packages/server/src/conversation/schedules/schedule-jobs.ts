import { minuteMs, secondMs } from '../../lib/time-units.ts';
import type { Jobs, NewJob } from '../../platform/jobs/jobs.ts';

/** The clock of schedules: a job for the next moment of each, and one that starts the run of a moment. */
export const fireKind = 'schedules.fire';
export const launchKind = 'schedules.launch';
/** Finds schedules that wait for a time of a clock that was set back. */
export const alignKind = 'schedules.align';

export type ScheduleJobs = Pick<Jobs, 'register' | 'enqueue' | 'wake'>;

/** The time of the row is part of the job, so a job of an earlier time does nothing. */
export function fireJob(scheduleId: string, dueAt: string, atMs: number = Date.parse(dueAt)): NewJob {
  return { kind: fireKind, key: scheduleId, runAtMs: atMs, payload: { scheduleId, dueAt } };
}

export function launchJob(id: string): NewJob {
  return { kind: launchKind, key: id, payload: { id } };
}

export const launchDelaysMs = [secondMs, 5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs];
