import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, expect, it } from 'vitest';
import { chaosOptions } from './chaos-options.ts';
import { Line, type Message, type RunOnWire, StreamingClient } from './conversation-client.ts';
import { DispatchRows } from './dispatch-rows.ts';

const clients = 16;
/** The share of the clients that talk in one thread, one after the other. */
const inOneThread = 4;
/** The time from the moment when half of the streams have begun. */
const killAfterMs = { least: 0, most: 1_500 };
/** The share of rounds in which the gateway is asked to stop instead. */
const politeStops = 0.2;
/** The share of rounds in which the next gateway is also killed, while it takes up the unfinished work. */
const secondKills = 0.3;
const secondKillWithinMs = 1_000;
const settledWithinMs = 120_000;
const workerRunsMs = [50, 300, 900, 1_500];
/** The nodes of the sample workflow. */
const nodeClasses = ['EmptyImage', 'ImageCompositeMasked', 'ImageScale', 'ImageInvert', 'SaveImage'];

/** Runs a workflow on a worker. */
const inversion = 'invert a picture';
/** Each is about one to two seconds of work. */
const questions = [
  { assistant_id: 'lead_agent', text: inversion },
  { assistant_id: 'lead_agent', text: 'what can you do?' },
  { assistant_id: 'chat', text: 'count to 80 every 20 ms' },
  { assistant_id: 'lead_agent', text: 'list instances' },
];
const chat = fileURLToPath(new URL('../../packages/server/test/fixtures/agents/chat.ts', import.meta.url));

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
    `version: 1\nagents: ["chat=${chat}:graph"]\ndispatch:\n  workers: [${workers}]\n`,
  );
  gateway = await SpawnedGateway.start({ home: folder.path });
  const line = await Line.register(gateway.url);
  let inversions = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const all = await startClients(line);
    const working = Promise.all(all.map(({ client, body }) => client.converse(body)));
    await Promise.race([working, killInMidStream(gateway, { line, all })]);
    gateway = await restart(line);
    const restartedMs = performance.now();
    await Promise.race([working, timeout(round)]);
    const settledMs = performance.now() - restartedMs;
    const attempts = await check(line, all);
    inversions += all.filter(({ text }) => text === inversion).length;
    await checkWorkflows(fleet, inversions);
    const reconnects = all.reduce((sum, { client }) => sum + client.reconnects, 0);
    console.log(
      `round ${round}: ${reconnects} reconnects, ${attempts} runs went on in a later attempt, ` +
        `all ended ${Math.round(settledMs)} ms after the gateway was back`,
    );
  }
});

interface Talk {
  client: StreamingClient;
  body: object;
  text: string;
}

async function startClients(line: Line): Promise<Talk[]> {
  const shared = await newThread(line);
  const talks: Talk[] = [];
  for (let index = 0; index < clients; index += 1) {
    const threadId = index < inOneThread ? shared : await newThread(line);
    const { assistant_id, text } = index < inOneThread ? questionFor(1) : questionFor(index);
    const body = {
      assistant_id,
      input: { messages: [{ role: 'user', content: text }] },
      stream_mode: ['messages-tuple', 'values', 'custom'],
      metadata: { mark: randomUUID() },
    };
    talks.push({ client: new StreamingClient(line, threadId), body, text });
  }
  return talks;
}

function questionFor(index: number): { assistant_id: string; text: string } {
  const question = questions[index % questions.length];
  if (!question) throw new Error('There are no questions.');
  return question;
}

async function newThread(line: Line): Promise<string> {
  return (await line.ask<{ thread_id: string }>('POST', '/api/threads', { thread_id: randomUUID() }))
    .thread_id;
}

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

interface Stored {
  run_id: string;
  seq: number;
  event_type: string;
  content: Message;
}

/** Returns the number of runs that needed more than one attempt. */
async function check(line: Line, all: Talk[]): Promise<number> {
  let later = 0;
  for (const threadId of new Set(all.map(({ client }) => client.threadId))) {
    const talks = all.filter(({ client }) => client.threadId === threadId);
    const here = `/api/threads/${threadId}`;
    expect(await line.ask('GET', here), threadId).toMatchObject({ status: 'idle' });
    const runs = await line.ask<RunOnWire[]>('GET', `${here}/runs`);
    expect(runs.map(({ run_id }) => run_id).sort()).toEqual(talks.map(({ client }) => client.runId).sort());
    for (const run of runs)
      expect(run, `a run of ${threadId}`).toMatchObject({ status: 'success', error: null });
    later += runs.filter(({ attempt }) => attempt > 1).length;

    const { values } = await line.ask<{ values: { messages: Message[] } }>('GET', `${here}/state`);
    checkJournal(await line.ask<Stored[]>('GET', `${here}/messages?limit=200`), values.messages);
    for (const talk of talks) checkClient(talk, values.messages);
  }
  return later;
}

/** The journal has every message of the state once, and nothing else. */
function checkJournal(stored: Stored[], messages: Message[]): void {
  const seqs = stored.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  expect(stored.map(({ content }) => shown(content))).toEqual(messages.map(shown));
}

/** The client shows the state at the end of its run, and the messages that arrived in pieces are complete. */
function checkClient({ client, text }: Talk, messages: Message[]): void {
  const ids = client.messages.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  expect(client.messages.map(shown)).toEqual(messages.slice(0, ids.length).map(shown));
  const asked = client.messages.findLast(({ type }) => type === 'human');
  expect(asked?.content).toBe(text);
  expect(client.messages.at(-1)).toMatchObject({ type: 'ai' });
  for (const { id, content } of client.messages) {
    const pieces = client.pieces.get(id);
    if (pieces !== undefined) expect(pieces, `pieces of ${id}`).toBe(content);
  }
}

function shown({ id, type, content }: Message): object {
  return { id, type, content };
}

/** A run that repeats its tool call finds the task that it has made already. */
async function checkWorkflows(pool: FakeFleet, asked: number): Promise<void> {
  const { tasks, attempts } = new DispatchRows(folder.path);
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
