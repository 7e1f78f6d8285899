import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Line } from '../chaos/conversation-client.ts';
import type { Stage } from './drill-stage.ts';

const minuteMs = 60_000;

/** One moment of a schedule, as its row says. */
interface Moment {
  schedule_id: string;
  scheduled_for: string;
  trigger: string;
  status: string;
  created_at: string;
}

/** Schedules that begin a run at each full minute. */
export async function startSchedules(line: Line, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await line.ask('POST', '/api/scheduled-tasks', {
      title: `every minute ${index}`,
      prompt: 'hello',
      schedule_type: 'cron',
      schedule_spec: { cron: '* * * * *' },
      timezone: 'UTC',
      assistant_id: 'chat',
    });
}

/** Resolves when each of these schedules has had so many moments and none of them is under way. */
export async function untilAllHaveCome(
  { database }: Pick<Stage, 'database'>,
  { schedules, moments }: { schedules: number; moments: number },
): Promise<Moment[]> {
  for (;;) {
    const { rows } = await sql<Moment>`
      select schedule_id, scheduled_for, trigger, status, created_at from schedule_runs`.execute(
      database.read,
    );
    const perSchedule = new Map<string, number>();
    for (const { schedule_id, status } of rows)
      if (status === 'success') perSchedule.set(schedule_id, (perSchedule.get(schedule_id) ?? 0) + 1);
    const isOver = rows.every(({ status }) => status !== 'queued' && status !== 'running');
    const all = [...perSchedule.values()];
    if (isOver && all.length === schedules && all.every((each) => each >= moments)) return rows;
    await sleep(200);
  }
}

/** Returns how often each schedule has come. */
export async function momentsOf({ database }: Pick<Stage, 'database'>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ schedule_id: string; count: number }>`
    select schedule_id, count(*)::int as count from schedule_runs where status = 'success'
    group by schedule_id`.execute(database.read);
  return new Map(rows.map(({ schedule_id, count }) => [schedule_id, count]));
}

/** Resolves when each schedule has come once more than that. */
export async function untilAllComeAgain(
  stage: Pick<Stage, 'database'>,
  { schedules, before }: { schedules: number; before: ReadonlyMap<string, number> },
): Promise<void> {
  for (;;) {
    const now = [...(await momentsOf(stage))];
    if (now.filter(([id, count]) => count > (before.get(id) ?? 0)).length === schedules) return;
    await sleep(200);
  }
}

/** Each schedule came at full minutes, one after the other, each once, and none before its time. */
export function checkMoments(found: readonly Moment[]): void {
  const times = [...new Set(found.map(({ scheduled_for }) => scheduled_for))].sort();
  for (const [index, time] of times.entries())
    expect(Date.parse(time), 'one full minute after the other').toBe(
      Date.parse(times[0] ?? '') + index * minuteMs,
    );
  expect(Date.parse(times.at(-1) ?? '')).toBeLessThanOrEqual(Date.now());
  checkEachOnce(found);
}

/**
 * Each schedule came at full minutes by itself, and at none of them twice. A moment that came under a clock that was hours ahead
 * comes again at its time.
 */
export function checkEachOnce(found: readonly Moment[]): void {
  const keys = found.map(({ schedule_id, scheduled_for, created_at }) => {
    const hoursLate = Math.round((Date.parse(created_at) - Date.parse(scheduled_for)) / (60 * minuteMs));
    return `${schedule_id} ${scheduled_for} ${hoursLate}`;
  });
  expect(keys.length, 'moments that came twice').toBe(new Set(keys).size);
  expect(found.filter(({ scheduled_for }) => Date.parse(scheduled_for) % minuteMs !== 0)).toEqual([]);
  expect(found.filter(({ trigger }) => trigger !== 'scheduled')).toEqual([]);
}
