import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chaosOptions } from './chaos-options.ts';
import { Line } from './conversation-client.ts';
import { DispatchRows } from './dispatch-rows.ts';
import { HookedTalks, talkingGraph } from './hooks/hooked-talks.ts';
import { LastingAddress } from './lasting-address.ts';
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
let address: LastingAddress | undefined;
let hooks: HookedTalks | undefined;

beforeAll(() => {
  // The legacy hook checks for a window before it stores anything for a reload.
  vi.stubGlobal('window', {});
  const complain = console.error;
  vi.spyOn(console, 'error').mockImplementation((...said: unknown[]) => {
    if (!String(said[0]).includes('react-test-renderer is deprecated')) complain(...said);
  });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  hooks?.close();
  address?.close();
  await gateway?.stop();
  await fleet?.close();
  folder.remove();
});

it('ends every run, with each message once for the journal, each client and each hook, however often it is killed', async () => {
  fleet = await startFakeFleet(workerRunsMs.length, { outputBytes: 500, keepsArrivals: true, nodeClasses });
  for (const [index, port] of fleet.ports.entries())
    await fleet.behave({ runMs: workerRunsMs[index] ?? 0 }, port);
  const workers = fleet.ports.map((port) => `"127.0.0.1:${port}"`).join(', ');
  writeFileSync(
    join(folder.path, 'switchyard.yaml'),
    `version: 1\nagents: ["chat=${chatAgent}:graph", "talk=${talkingGraph}:graph"]\ndispatch:\n  workers: [${workers}]\n`,
  );
  gateway = await SpawnedGateway.start({ home: folder.path });
  const line = await Line.register(gateway.url);
  address = await LastingAddress.open(gateway.url);
  hooks = await HookedTalks.open(line, address);
  const ways = [line, address];
  let inversions = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const all = await startTalks(line, clients);
    const working = Promise.all(all.map(({ client, body }) => client.converse(body)));
    const killed = killInMidStream(gateway, { ways, all, begun: hooks.begin(round) });
    // A client that fails ends the round at once.
    await Promise.race([killed, working.then(() => killed), timeout(round)]);
    gateway = await restart(ways);
    const restartedMs = performance.now();
    await Promise.race([Promise.all([working, hooks.settle()]), timeout(round)]);
    const settledMs = performance.now() - restartedMs;
    const attempts = await checkTalks(line, all);
    const unfinished = await hooks.check();
    inversions += all.filter(({ text }) => text === inversion).length;
    await checkWorkflows(fleet, inversions);
    const reconnects = all.reduce((sum, { client }) => sum + client.reconnects, 0);
    console.log(
      `round ${round}: ${reconnects} reconnects, ${attempts} runs went on in a later attempt, ` +
        `all ended ${Math.round(settledMs)} ms after the gateway was back; hooks were loaded again ${hooks.reloads} times ` +
        `and keep ${unfinished} unfinished answers`,
    );
  }
});

/** What leads clients to the present gateway. */
type Way = Pick<Line, 'cut' | 'connect'>;

async function killInMidStream(
  target: SpawnedGateway,
  { ways, all, begun }: { ways: Way[]; all: Talk[]; begun: Promise<void> },
): Promise<void> {
  await begun;
  while (all.filter(({ client }) => client.messages.length > 0).length < clients / 2) await sleep(5);
  await sleep(killAfterMs.least + random() * (killAfterMs.most - killAfterMs.least));
  for (const way of ways) way.cut();
  if (random() < politeStops) await target.stop();
  else await target.kill9();
}

async function restart(ways: Way[]): Promise<SpawnedGateway> {
  let next = await SpawnedGateway.start({ home: folder.path });
  if (random() < secondKills) {
    for (const way of ways) way.connect(next.url);
    await sleep(random() * secondKillWithinMs);
    for (const way of ways) way.cut();
    await next.kill9();
    next = await SpawnedGateway.start({ home: folder.path });
  }
  for (const way of ways) way.connect(next.url);
  return next;
}

async function timeout(round: number): Promise<never> {
  await sleep(settledWithinMs, undefined, { ref: false });
  throw new Error(
    `Round ${round}: not all runs have ended after ${settledWithinMs} ms.\n${await hooks?.describe()}\n${gateway?.output()}`,
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
