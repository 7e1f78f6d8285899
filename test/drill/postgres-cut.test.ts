import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { FreezableProxy } from '../../packages/server/testing/freezable-proxy.ts';
import { chaosOptions } from '../chaos/chaos-options.ts';
import { startTalks } from '../chaos/talks.ts';
import { checkAll, halfHaveBegun, inTime, inversionsOf, settle } from './drill-checks.ts';
import { openStage, type Stage, testDrill } from './drill-stage.ts';
import { SteadyLoad } from './steady-load.ts';

const drill = testDrill('Postgres that is cut off');
/** The whole drill takes 30 s. */
const cutMs = Number(process.env.DRILL_CUT_MS ?? 3_000);
const talkers = 8;
/** The longest that a caller waits for a database that does not answer. */
const answeredWithinMs = 10_000;

let stage: Stage | undefined;
let network: FreezableProxy | undefined;
afterAll(async () => {
  await stage?.stop();
  await network?.close();
});

it.skipIf(drill.isSkipped)(
  `${drill.title} makes every replica answer 503 in time, loses nothing, and all go on by themselves`,
  async () => {
    const { random } = chaosOptions('Postgres cut off');
    stage = await openStage({ databaseThrough });
    const { cluster, tasks, line } = stage;
    const load = new SteadyLoad(tasks, random);
    const talks = await startTalks(line, talkers);
    load.start();
    const talking = Promise.all(talks.map(({ client, body }) => client.converse(body)));
    await Promise.race([talking, halfHaveBegun(talks)]);

    network?.freeze();
    const over = sleep(cutMs);
    const answers = await Promise.all(
      cluster.replicas.flatMap(({ url }) => [ask(url, 'GET'), ask(url, 'POST')]),
    );
    for (const { status, retryAfter, tookMs } of answers) {
      expect({ status, retryAfter: retryAfter > 0 }).toEqual({ status: 503, retryAfter: true });
      expect(tookMs).toBeLessThan(answeredWithinMs);
    }
    for (const { url } of cluster.replicas) expect((await fetch(new URL('/readyz', url))).status).toBe(503);
    await over;
    network?.thaw();

    for (const { url } of cluster.replicas)
      await expect.poll(async () => (await fetch(new URL('/readyz', url))).status).toBe(200);
    await inTime(stage, 'Not every stream has ended', talking);
    await load.stop();
    await settle(stage);
    const { laterAttempts } = await checkAll(stage, { talks, inversions: inversionsOf(talks) });
    console.log(`${tasks.accepted.size} tasks, ${laterAttempts} runs went on in a later attempt`);
  },
);

/** A network between the replicas and Postgres. Without it the test itself reads the rows. */
async function databaseThrough(url: string): Promise<string> {
  const { searchParams, pathname } = new URL(url);
  network = await FreezableProxy.start(`${searchParams.get('host')}/.s.PGSQL.5432`);
  return `postgres://switchyard@127.0.0.1:${network.port}${pathname}`;
}

async function ask(
  url: string,
  method: 'GET' | 'POST',
): Promise<{ status: number; retryAfter: number; tookMs: number }> {
  const begunMs = performance.now();
  const answer = await fetch(new URL(method === 'GET' ? '/api/threads/x' : '/api/threads', url), {
    method,
    headers: { 'x-api-key': stage?.line.token ?? '', 'content-type': 'application/json' },
    ...(method === 'POST' && { body: '{}' }),
  });
  await answer.text();
  const retryAfter = Number(answer.headers.get('retry-after'));
  return { status: answer.status, retryAfter, tookMs: performance.now() - begunMs };
}
