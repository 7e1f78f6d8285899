import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { inTime, settle } from './drill-checks.ts';
import { openStage, type Stage, testDrill } from './drill-stage.ts';
import { checkMoments, startSchedules, untilAllHaveCome } from './minute-schedules.ts';

const drill = testDrill('schedules of three replicas');
const count = 10;
/** The moments that all schedules have in common: full minutes. */
const moments = 2;
const minuteMs = 60_000;
/** The time from a full minute at which a replica is killed: some moments have come by then, and some have not. */
const killWithinMs = 400;

let stage: Stage | undefined;
afterAll(() => stage?.stop());

it.skipIf(drill.isSkipped)(
  `${drill.title} come once at each of their times, although a replica is killed as they come`,
  async () => {
    const { random } = chaosOptions('schedules');
    stage = await openStage();
    const { cluster, line } = stage;
    await startSchedules(line, count);
    await sleep(minuteMs - (Date.now() % minuteMs) + random() * killWithinMs);
    const victim = cluster.replicas[Math.floor(random() * cluster.replicas.length)];
    if (!victim) throw new Error('There are no replicas.');
    await victim.kill9();
    await victim.restart();

    const opened = stage;
    const coming = untilAllHaveCome(opened, { schedules: count, moments });
    const found = await inTime(opened, 'Not every moment has come', coming);
    await settle(opened);
    checkMoments(found);
    const runs = await sql<{
      runs: number;
    }>`select count(*)::int as runs from runs group by thread_id`.execute(opened.database.read);
    expect(
      runs.rows.filter((thread) => thread.runs !== 1),
      'each moment has a thread with one run',
    ).toEqual([]);
    console.log(`${found.length} moments of ${count} schedules, each once`);
  },
);
