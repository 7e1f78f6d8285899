import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from './chaos-options.ts';
import { Line } from './conversation-client.ts';
import { DispatchRows } from './dispatch-rows.ts';
import { chatAgent, checkTalks, inversion, nodeClasses, startTalks, type Talk } from './talks.ts';

const clients = 16;
/** The time from the moment when half of the streams have begun. */
const killAfterMs = { least: 0, most: 1_500 };
/** The share of rounds in which the gateway is asked to stop instead. */
const politeStops = 0.2;
/** The share of rounds in which the next gateway is also killed, while it takes up the unfinished work. */
const secondKills = 0.3;
const secondKillWithinMs = 1_000;
const settledWithinMs = 120_000;
const workerRunsMs = [50, 300, 900, 1_500];
const { rounds, random } = chaosOptions('conversation');
const folder = temporaryFolder();
let gateway: SpawnedGateway | undefined;
let fleet: FakeFleet | undefined;

afterAll(async () => {
  await gateway?.stop();
  await fleet?.close();
  folder.remove();
});

it('ends every run, with each message once for the journal and for each client, however often it is killed', async () => {
  fleet = await startFakeFleet(workerRunsMs.length, { outputBytes: 500, keepsArrivals: true, nodeClasses });
  for (const [index, port] of fleet.ports.entries())
    await fleet.behave({ runMs: workerRunsMs[index] ?? 0 }, port);
  const workers = fleet.ports.map((port) => `"127.0.0.1:${port}"`).join(', ');
  writeFileSync(
    join(folder.path, 'switchyard.yaml'),
    `version: 1\nagents: ["chat=${chatAgent}:graph"]\ndispatch:\n  workers: [${workers}]\n`,
  );
  gateway = await SpawnedGateway.start({ home: folder.path });
  const line = await Line.register(gateway.url);
  let inversions = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const all = await startTalks(line, clients);
    const working = Promise.all(all.map(({ client, body }) => client.converse(body)));
    await Promise.race([working, killInMidStream(gateway, { line, all })]);
    gateway = await restart(line);
    const restartedMs = performance.now();
    await Promise.race([working, timeout(round)]);
    const settledMs = performance.now() - restartedMs;
    const attempts = await checkTalks(line, all);
    inversions += all.filter(({ text }) => text === inversion).length;
    await checkWorkflows(fleet, inversions);
    const reconnects = all.reduce((sum, { client }) => sum + client.reconnects, 0);
    console.log(
      `round ${round}: ${reconnects} reconnects, ${attempts} runs went on in a later attempt, ` +
        `all ended ${Math.round(settledMs)} ms after the gateway was back`,
    );
  }
});

async function killInMidStream(
  target: SpawnedGateway,
  { line, all }: { line: Line; all: Talk[] },
): Promise<void> {
  while (all.filter(({ client }) => client.messages.length > 0).length < clients / 2) await sleep(5);
  await sleep(killAfterMs.least + random() * (killAfterMs.most - killAfterMs.least));
  line.cut();
  if (random() < politeStops) await target.stop();
  else await target.kill9();
}

async function restart(line: Line): Promise<SpawnedGateway> {
  let next = await SpawnedGateway.start({ home: folder.path });
  if (random() < secondKills) {
    line.connect(next.url);
    await sleep(random() * secondKillWithinMs);
    line.cut();
    await next.kill9();
    next = await SpawnedGateway.start({ home: folder.path });
  }
  line.connect(next.url);
  return next;
}

async function timeout(round: number): Promise<never> {
  await sleep(settledWithinMs, undefined, { ref: false });
  throw new Error(
    `Round ${round}: not all runs have ended after ${settledWithinMs} ms.\n${gateway?.output()}`,
  );
}

/** A run that repeats its tool call finds the task that it has made already. */
async function checkWorkflows(pool: FakeFleet, asked: number): Promise<void> {
  const { tasks, attempts } = DispatchRows.ofHome(folder.path);
  const stats = await pool.stats();
  for (const { port, duplicateIds } of stats)
    expect({ port, duplicateIds }).toEqual({ port, duplicateIds: 0 });
  const arrived = new Set(stats.flatMap(({ arrivals }) => Object.keys(arrivals)));
  expect(tasks.filter(({ phase, status }) => phase !== 'ended' || status !== 'completed')).toEqual([]);
  const promptIds = attempts.map(({ promptId }) => promptId).filter((promptId) => arrived.has(promptId));
  expect(promptIds.length, 'runs on workers').toBe(arrived.size);
  expect(
    { tasks: tasks.length, runs: arrived.size },
    'one task, and one run of it, for each that was asked',
  ).toEqual({
    tasks: asked,
    runs: asked,
  });
}
