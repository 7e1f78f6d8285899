import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from './chaos-options.ts';
import { checkOutputs, checkPickedUp, checkRuns } from './dispatch-checks.ts';
import { ConnectionLost, DispatchClient } from './dispatch-client.ts';
import { type AttemptRow, DispatchRows } from './dispatch-rows.ts';

const workers = 8;
/** Some prompts end at once, and some still run when the next gateway starts. */
const runsMs = [0, 5, 20, 50, 100, 200, 500, 1_500];
const outputBytes = 2_000;
const submitters = 4;
const submitPauseMs = 15;
const cancelPauseMs = 60;
const killAfterMs = { least: 100, most: 2_000 };
/** The share of rounds in which the gateway is asked to stop instead. */
const politeStops = 0.25;
/** The share of rounds in which the new gateway is also killed, while it takes up the unfinished work. */
const secondKills = 0.3;
const secondKillWithinMs = 400;
/** After this time no task may be unfinished. */
const settledWithinMs = 120_000;

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'chaos' } },
};

const { rounds, random } = chaosOptions('dispatch');
const folder = temporaryFolder();
let gateway: SpawnedGateway | undefined;
let fleet: FakeFleet | undefined;

afterAll(async () => {
  await gateway?.stop();
  await fleet?.close();
  folder.remove();
});

it('ends every accepted task once, and runs none twice, however often the gateway is killed', async () => {
  fleet = await startFakeFleet(workers, { outputBytes, keepsArrivals: true });
  for (const [index, port] of fleet.ports.entries()) await fleet.behave({ runMs: runsMs[index] ?? 50 }, port);
  const addresses = fleet.ports.map((port) => `"127.0.0.1:${port}"`).join(', ');
  writeFileSync(join(folder.path, 'switchyard.yaml'), `version: 1\ndispatch:\n  workers: [${addresses}]\n`);
  gateway = await SpawnedGateway.start({ home: folder.path });
  const client = await DispatchClient.register(gateway.url);
  for (let round = 1; round <= rounds; round += 1) {
    await workUntilKilled(gateway, client);
    const left = DispatchRows.ofHome(folder.path).attempts.filter(({ state }) => state !== 'ended');
    gateway = await restart(client);
    const settledMs = await settle(client);
    const pickedUp = await check(client, fleet, left);
    console.log(
      `round ${round}: ${client.accepted.size} tasks accepted, ${left.length} were with workers, ` +
        `${pickedUp} of them picked up again, all settled after ${Math.round(settledMs)} ms`,
    );
  }
});

async function workUntilKilled(target: SpawnedGateway, client: DispatchClient): Promise<void> {
  const listening = client.listen();
  const working = Promise.allSettled([
    ...Array.from({ length: submitters }, () => submitForEver(client)),
    cancelForEver(client),
  ]);
  await listening;
  await sleep(killAfterMs.least + random() * (killAfterMs.most - killAfterMs.least));
  if (random() < politeStops) await target.stop();
  else await target.kill9();
  for (const ending of await working) {
    if (ending.status === 'rejected' && !(ending.reason instanceof ConnectionLost)) throw ending.reason;
  }
}

async function submitForEver(client: DispatchClient): Promise<never> {
  for (;;) {
    await client.submit(workflow);
    await sleep(submitPauseMs);
  }
}

async function cancelForEver(client: DispatchClient): Promise<never> {
  for (;;) {
    await sleep(cancelPauseMs);
    const newest = [...client.accepted].slice(-50);
    const taskId = newest[Math.floor(random() * newest.length)];
    if (taskId !== undefined) await client.cancel(taskId);
  }
}

async function restart(client: DispatchClient): Promise<SpawnedGateway> {
  let next = await SpawnedGateway.start({ home: folder.path });
  if (random() < secondKills) {
    await sleep(random() * secondKillWithinMs);
    await next.kill9();
    next = await SpawnedGateway.start({ home: folder.path });
  }
  client.url = next.url;
  return next;
}

/** Repeats the unanswered submissions, then waits until every task has ended. */
async function settle(client: DispatchClient): Promise<number> {
  const startedMs = performance.now();
  await client.listen();
  for (const key of [...client.unanswered]) await client.submit(workflow, key);
  for (;;) {
    const left = (await client.countOf('pending')) + (await client.countOf('running'));
    const tookMs = performance.now() - startedMs;
    if (left === 0) return tookMs;
    if (tookMs > settledWithinMs) throw new Error(`${left} tasks have not ended: ${JSON.stringify(stuck())}`);
    await sleep(50);
  }
}

function stuck(): unknown[] {
  const rows = DispatchRows.ofHome(folder.path);
  return rows.tasks.filter(({ phase }) => phase !== 'ended').slice(0, 10);
}

async function check(client: DispatchClient, pool: FakeFleet, left: AttemptRow[]): Promise<number> {
  const rows = DispatchRows.ofHome(folder.path);
  expect(new Set(rows.tasks.map(({ id }) => id)), 'stored tasks are the accepted ones').toEqual(
    client.accepted,
  );
  expect(rows.tasks.filter(({ phase }) => phase !== 'ended')).toEqual([]);
  expect(rows.attempts.filter(({ state }) => state !== 'ended')).toEqual([]);
  expect(rows.keptCounts).toEqual(rows.trueCounts);
  expect(rows.keptUsage).toEqual(rows.trueUsage);
  expect(rows.filesInUse).toBe(0);
  for (const [taskId, times] of client.endsPushed) expect(times, `the end of ${taskId} was pushed`).toBe(1);
  const arrived = await checkRuns(rows, pool);
  await checkOutputs(rows, client, outputBytes);
  return checkPickedUp(rows, left, arrived);
}
