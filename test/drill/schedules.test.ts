import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { inTime, settle } from './drill-checks.ts';
import { openStage, type Stage, testDrill } from './drill-stage.ts';

const drill = testDrill('schedules of three replicas');
const count = 10;
/** The moments that all schedules have in common: full minutes. */
const moments = 2;
const minuteMs = 60_000;
/** The time from a full minute at which a replica is killed: some moments have come by then, and some have not. */
const killWithinMs = 400;

interface Moment {
  schedule_id: string;
  scheduled_for: string;
  trigger: string;
  status: string;
}

let stage: Stage | undefined;
afterAll(() => stage?.stop());

it.skipIf(drill.isSkipped)(
  `${drill.title} come once at each of their times, although a replica is killed as they come`,
  async () => {
    const { random } = chaosOptions('schedules');
    stage = await openStage();
    const { cluster, line } = stage;
    for (let index = 0; index < count; index += 1)
      await line.ask('POST', '/api/scheduled-tasks', {
        title: `every minute ${index}`,
        prompt: 'hello',
        schedule_type: 'cron',
        schedule_spec: { cron: '* * * * *' },
        timezone: 'UTC',
        assistant_id: 'chat',
      });
    await sleep(minuteMs - (Date.now() % minuteMs) + random() * killWithinMs);
    const victim = cluster.replicas[Math.floor(random() * cluster.replicas.length)];
    if (!victim) throw new Error('There are no replicas.');
    await victim.kill9();
    await victim.restart();

    const opened = stage;
    const found = await inTime(opened, 'Not every moment has come', untilAllHaveCome(opened));
    await settle(opened);
    const times = [...new Set(found.map(({ scheduled_for }) => scheduled_for))].sort();
    for (const [index, time] of times.entries())
      expect(Date.parse(time), 'one full minute after the other').toBe(
        Date.parse(times[0] ?? '') + index * minuteMs,
      );
    const keys = found.map(({ schedule_id, scheduled_for }) => `${schedule_id} ${scheduled_for}`);
    expect(keys.length, 'moments that came twice').toBe(new Set(keys).size);
    expect(found.filter(({ trigger }) => trigger !== 'scheduled')).toEqual([]);
    const runs = await sql<{
      runs: number;
    }>`select count(*)::int as runs from runs group by thread_id`.execute(opened.database.read);
    expect(
      runs.rows.filter((thread) => thread.runs !== 1),
      'each moment has a thread with one run',
    ).toEqual([]);
    console.log(`${found.length} moments of ${count} schedules at ${times.length} times, each once`);
  },
);

/** Resolves when each schedule has had some moments and none of them is under way. */
async function untilAllHaveCome({ database }: Stage): Promise<Moment[]> {
  for (;;) {
    const { rows } = await sql<Moment>`
      select schedule_id, scheduled_for, trigger, status from schedule_runs`.execute(database.read);
    const perSchedule = new Map<string, number>();
    for (const { schedule_id, status } of rows)
      if (status === 'success') perSchedule.set(schedule_id, (perSchedule.get(schedule_id) ?? 0) + 1);
    const isOver = rows.every(({ status }) => status !== 'queued' && status !== 'running');
    if (isOver && perSchedule.size === count && [...perSchedule.values()].every((each) => each >= moments))
      return rows;
    await sleep(200);
  }
}
