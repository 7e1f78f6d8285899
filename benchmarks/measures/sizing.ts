import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { storedBytes } from '../conversation/stored-bytes.ts';
import { workflows } from '../graphs/workflows.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { cpuTimeUs, residentMb } from '../process-usage.ts';
import { TaskEnds } from '../task-ends.ts';

const seconds = isRehearsal ? 5 : 60;
const things = isRehearsal ? 100 : 1_000;
/** What a user does between two rounds. */
const pauseMs = 10_000;
const accounts = 10;
const pool = { runMs: 2_000, outputBytes: 200_000 };
const loads = [
  { workers: 8, users: 10 },
  { workers: 8, users: 100 },
  { workers: 32, users: 100 },
];

await measure('sizing', 'What a gateway needs: memory, processor and disk', async () => {
  const figures: Figure[] = [];
  for (const workers of [0, 8, 32]) figures.push(...(await atRest(workers)));
  for (const load of loads) figures.push(...(await underLoad(load)));
  figures.push(...(await left()));
  return {
    figures,
    bars: [],
    notes: [
      `The gateway as it is built, on SQLite, with the settings as they are. ${seconds} s of each; the memory is the largest that was seen each second, the processor time is that of the whole process, of one core.`,
      `A user has a socket open and does again and again: an answer of 200 tokens, 10 ms apart, that is streamed, a task of ${pool.runMs / 1_000} s on a worker with a picture of ${pool.outputBytes / 1_000} kB, a pause of ${pauseMs / 1_000} s. There are ${accounts} accounts, which share the users.`,
      'Workers and users are in processes of their own on the same machine, which others used at the same time: memory does not depend on that, processor time little.',
      'Disk: whole pages of the database with its indexes, after its log was moved into the file. Pictures come on top, each with its size.',
    ],
  };
});

async function started(workers: number, behaviour = pool) {
  const fleet = workers === 0 ? null : await startFakeFleet(workers, behaviour);
  const ports = fleet?.ports.map((port) => `127.0.0.1:${port}`) ?? [];
  const gateway = await startGateway({
    ...(ports.length > 0 && { SWITCHYARD__DISPATCH__WORKERS: ports.join(',') }),
  });
  const close = async () => {
    await gateway.close();
    await fleet?.close();
  };
  return { gateway, close };
}

async function atRest(workers: number): Promise<Figure[]> {
  const { gateway, close } = await started(workers);
  await sleep(5_000); // what a start leaves behind
  const used = await usedWhile(gateway, () => sleep(seconds * 1_000));
  await close();
  return figuresOf(workers === 0 ? 'at rest, built-in worker' : `at rest, ${workers} workers`, used);
}

async function underLoad({ workers, users }: { workers: number; users: number }): Promise<Figure[]> {
  const { gateway, close } = await started(workers);
  const keys = await signUp(gateway);
  const keyOf = (user: number) => keys[user % keys.length] ?? '';
  const sockets: TaskEnds[] = [];
  for (let user = 0; user < users; user += 1)
    sockets.push(await TaskEnds.open(gateway.gateway.url, keyOf(user)));
  const rounds = { runs: 0 };
  const used = await usedWhile(gateway, () =>
    closedLoop({ clients: users, seconds }, async (user) => {
      await answerAndPicture(gateway, keyOf(user));
      rounds.runs += 1;
      await sleep(pauseMs * (0.5 + Math.random()));
    }),
  );
  for (const socket of sockets) socket.close();
  await close();
  const name = `${users} users, ${workers} workers`;
  return [
    ...figuresOf(name, used),
    { name: `${name}: answers and pictures a minute`, value: (rounds.runs * 60) / used.seconds, unit: '' },
  ];
}

/** What so many tasks and runs leave in the database. */
async function left(): Promise<Figure[]> {
  const { gateway, close } = await started(8, { runMs: 0, outputBytes: 1_000 });
  const [key = ''] = await signUp(gateway);
  const kinds: [string, () => Promise<unknown>][] = [
    [`${things} tasks`, () => makePicture(gateway, key)],
    [`${things} short runs, a new thread each`, () => answer(gateway, key, 'echo')],
    [`${things} answers of the lead agent, a new thread each`, () => answer(gateway, key, 'lead_agent')],
  ];
  const figures: Figure[] = [];
  for (const [name, make] of kinds) {
    const before = databaseMb(gateway);
    let remaining = things;
    const lane = async (): Promise<void> => {
      while (remaining-- > 0) await make();
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    figures.push({ name: `${name}: database`, value: databaseMb(gateway) - before, unit: 'MB' });
  }
  await close();
  return figures;
}

function databaseMb({ databaseFile }: BenchGateway): number {
  return storedBytes(databaseFile).reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
}

interface Used {
  megabytes: number;
  percent: number;
  seconds: number;
}

async function usedWhile({ gateway: { pid } }: BenchGateway, work: () => Promise<unknown>): Promise<Used> {
  let megabytes = residentMb(pid);
  const timer = setInterval(() => {
    megabytes = Math.max(megabytes, residentMb(pid));
  }, 1_000);
  const [startedMs, startedUs] = [performance.now(), cpuTimeUs(pid)];
  await work();
  clearInterval(timer);
  const tookSeconds = (performance.now() - startedMs) / 1_000;
  const percent = ((cpuTimeUs(pid) - startedUs) / 1e6 / tookSeconds) * 100;
  return { megabytes, percent, seconds: tookSeconds };
}

function figuresOf(name: string, { megabytes, percent }: Used): Figure[] {
  return [
    { name: `${name}: memory`, value: megabytes, unit: 'MB' },
    { name: `${name}: processor`, value: percent, unit: '%' },
  ];
}

async function signUp({ gateway }: BenchGateway): Promise<string[]> {
  const keys: string[] = [];
  for (let account = 0; account < accounts; account += 1) {
    const email = `user-${account}@example.com`;
    const session = await HttpSession.register(gateway.url, { email, password: 'measures all day long' });
    const scopes = ['conversation:read', 'conversation:write', 'dispatch:read', 'dispatch:write'];
    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'x', scopes });
    keys.push(token);
  }
  return keys;
}

async function answerAndPicture(gateway: BenchGateway, key: string): Promise<void> {
  await answer(gateway, key, 'paced');
  await makePicture(gateway, key);
}

async function answer(gateway: BenchGateway, key: string, graph: string): Promise<void> {
  await post(gateway, key, '/api/runs/stream', {
    assistant_id: graph,
    input: { messages: [{ type: 'human', content: 'Hello' }] },
    stream_mode: ['messages-tuple', 'values'],
    on_completion: 'keep',
  });
}

async function makePicture(gateway: BenchGateway, key: string): Promise<void> {
  const [workflow] = workflows;
  const { data } = JSON.parse(await post(gateway, key, '/api/tasks', { workflow, params: {} }));
  const path = `/api/tasks/${data.id}?wait=60`;
  await textOf(await fetch(new URL(path, gateway.gateway.url), { headers: { 'x-api-key': key } }));
}

async function post({ gateway }: BenchGateway, key: string, path: string, body: object): Promise<string> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return textOf(
    await fetch(new URL(path, gateway.url), { method: 'POST', headers, body: JSON.stringify(body) }),
  );
}

async function textOf(answer: Response): Promise<string> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${text}`);
  return text;
}
