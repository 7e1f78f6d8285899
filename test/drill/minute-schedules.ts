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
      select schedule_id, scheduled_for, trigger, status from schedule_runs`.execute(database.read);
    const perSchedule = new Map<string, number>();
    for (const { schedule_id, status } of rows)
      if (status === 'success') perSchedule.set(schedule_id, (perSchedule.get(schedule_id) ?? 0) + 1);
    const isOver = rows.every(({ status }) => status !== 'queued' && status !== 'running');
    const all = [...perSchedule.values()];
    if (isOver && all.length === schedules && all.every((each) => each >= moments)) return rows;
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
  const keys = found.map(({ schedule_id, scheduled_for }) => `${schedule_id} ${scheduled_for}`);
  expect(keys.length, 'moments that came twice').toBe(new Set(keys).size);
  expect(found.filter(({ trigger }) => trigger !== 'scheduled')).toEqual([]);
}
