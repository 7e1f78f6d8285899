import { setTimeout as sleep } from 'node:timers/promises';
import { type OwnPostgres, startOwnPostgres } from '@switchyard/dev-env/own-postgres';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { startTalks, type Talk } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import { openStage, outputs, type Stage, testDrill } from './drill-stage.ts';
import { answered } from './further-talks.ts';
import { SteadyLoad } from './steady-load.ts';

const drill = testDrill('Postgres that is restarted');
const talkers = 8;
const workBeforeMs = 4_000;
/** A restart that takes no time, and one during which leases run out. */
const restarts = [0, 10_000];

let stage: Stage | undefined;
let postgres: OwnPostgres | undefined;
afterAll(async () => {
  await stage?.stop();
  await postgres?.stop();
});

it.skipIf(drill.isSkipped)(
  `${drill.title} under load ends no replica and no run, loses and doubles nothing, and all go on by themselves`,
  async () => {
    const { random } = chaosOptions('Postgres restarted');
    postgres = await startOwnPostgres();
    stage = await openStage({ postgres });
    const { cluster, tasks, line } = stage;
    const pids = cluster.replicas.map(({ pid }) => pid);
    const load = new SteadyLoad(tasks, random);
    const allTalks: Talk[] = [];
    for (const awayMs of restarts) {
      load.start();
      await sleep(workBeforeMs);
      const talks = await startTalks(line, talkers);
      const talking = answered(talks);
      await Promise.race([talking, halfHaveBegun(talks)]);
      await postgres.end();
      for (const { url } of cluster.replicas) await expect.poll(() => readinessOf(url)).toBe(503);
      await sleep(awayMs);
      await postgres.restart();
      for (const { url } of cluster.replicas) await expect.poll(() => readinessOf(url)).toBe(200);
      await inTime(stage, 'Not every stream has ended', talking);
      await load.stop();
      await settle(stage);
      allTalks.push(...talks);
      const { laterAttempts } = await checkAll(stage, {
        talks: allTalks,
        inversions: inversionsOf(allTalks),
      });
      expect(
        cluster.replicas.map(({ pid }) => pid),
        outputs(cluster.replicas),
      ).toEqual(pids);
      console.log(
        `away for ${awayMs} ms: ${tasks.accepted.size} tasks in all, ` +
          `${load.failures.length} requests repeated, ${laterAttempts} runs went on in a later attempt`,
      );
    }
  },
);

async function readinessOf(url: string): Promise<number> {
  return (await fetch(new URL('/readyz', url))).status;
}
