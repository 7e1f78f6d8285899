import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { startBenchCluster } from '../cluster/bench-replicas.ts';
import { registered } from '../cluster/bench-sign-in.ts';
import type { AudienceOrder, AudienceReport } from '../cluster/push-audience.ts';
import { workflows } from '../graphs/workflows.ts';
import { isRehearsal, measure } from '../measure.ts';
import { percentile } from '../statistics.ts';

const users = 20;
/** The limit of a user, unless the operator says otherwise. */
const socketsPerUser = isRehearsal ? 10 : 50;
const sockets = users * socketsPerUser;
const workers = 4;
const tasksPerSecond = 4;
const seconds = isRehearsal ? 5 : 60;
/** What a task of one output says to its owner. */
const said = ['task_created', 'task_started', 'task_completed', 'files_created'];
/** After the last task. The messages of a task that ends later count as lost. */
const patienceMs = 10_000;

interface Sample {
  delaysMs: number[];
  lost: number;
  doubled: number;
  /** Messages that came to a socket of another user. */
  strayed: number;
  others: number;
  closed: number;
}

await measure(
  'cluster-sockets',
  `${sockets} signed-in push sockets while tasks are placed: 3 replicas, beside one gateway on SQLite`,
  async () => {
    const alone = await atOneGateway();
    const together = await atReplicas();
    const rate = (sample: Sample): number => (sample.delaysMs.length + sample.others) / seconds;
    const p99 = percentile(together.delaysMs, 99);
    return {
      figures: [
        {
          name: '3 replicas: emission to arrival, p50',
          value: percentile(together.delaysMs, 50),
          unit: 'ms',
        },
        { name: '3 replicas: emission to arrival, p99', value: p99, unit: 'ms' },
        { name: '3 replicas: messages about tasks', value: together.delaysMs.length, unit: '' },
        { name: '3 replicas: lost', value: together.lost, unit: '' },
        { name: '3 replicas: doubled', value: together.doubled, unit: '' },
        { name: "3 replicas: of another user's task", value: together.strayed, unit: '' },
        { name: '3 replicas: sockets that were closed', value: together.closed, unit: '' },
        { name: '3 replicas: messages of all kinds', value: rate(together), unit: '/s' },
        { name: 'one gateway: emission to arrival, p50', value: percentile(alone.delaysMs, 50), unit: 'ms' },
        { name: 'one gateway: emission to arrival, p99', value: percentile(alone.delaysMs, 99), unit: 'ms' },
        { name: 'one gateway: lost, doubled or strayed', value: faults(alone), unit: '' },
        { name: 'one gateway: messages of all kinds', value: rate(alone), unit: '/s' },
      ],
      bars: [
        { promise: '3 replicas: every permitted message once', isMet: faults(together) === 0 },
        { promise: '3 replicas: p99 of emission to arrival ≤ 250 ms', isMet: p99 <= 250 },
      ],
      notes: [
        `${users} users with ${socketsPerUser} sockets each, spread evenly over the replicas without nginx, and ${tasksPerSecond} tasks a second with one output each, for ${seconds} s. Replicas, Postgres, Redis, workers and all clients share two cores. Each task has ${said.length} messages for each socket of its owner. States of instances and of the queue go to all sockets; newer ones replace older ones by design, so they are load and are not counted one by one. A message is emitted at the earliest time that it carries at any socket, which is that of the replica where it happened.`,
      ],
    };
  },
);

async function atReplicas(): Promise<Sample> {
  const fleet = await startWorkers();
  const cluster = await startBenchCluster(settings(fleet));
  const urls: string[] = [];
  for (let n = 0; n < 3; n += 1) urls.push((await cluster.join()).url);
  const sample = await sampleAt(urls);
  await cluster.close();
  await fleet.close();
  return sample;
}

async function atOneGateway(): Promise<Sample> {
  const fleet = await startWorkers();
  const home = temporaryFolder();
  const gateway = await SpawnedGateway.start({ home: home.path, env: settings(fleet) });
  const sample = await sampleAt([gateway.url]);
  await gateway.stop();
  await fleet.close();
  home.remove();
  return sample;
}

async function startWorkers(): Promise<FakeFleet> {
  const fleet = await startFakeFleet(workers, { outputBytes: 500 });
  await fleet.behave({ runMs: 20 });
  return fleet;
}

function settings(fleet: FakeFleet): Record<string, string> {
  return {
    SWITCHYARD__DISPATCH__WORKERS: fleet.ports.map((port) => `127.0.0.1:${port}`).join(','),
    SWITCHYARD__OBSERVABILITY__LOG__LEVEL: 'warn',
  };
}

async function sampleAt(urls: readonly string[]): Promise<Sample> {
  const [first = ''] = urls;
  const tokens: string[] = [];
  for (let n = 0; n < users; n += 1) tokens.push(await registered(first, `user-${n}@example.com`));
  const audience = fork(fileURLToPath(new URL('../cluster/push-audience.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
  });
  // Socket n belongs to user n / socketsPerUser.
  const groups: AudienceOrder['groups'] = tokens.flatMap((token) =>
    Array.from({ length: socketsPerUser }, (_, n) => ({
      url: urls[n % urls.length] ?? first,
      token,
      sockets: 1,
    })),
  );
  const opened = once(audience, 'message');
  audience.send({ groups } satisfies AudienceOrder);
  await opened;
  const owners = await placeTasks(urls, tokens);
  await sleep(patienceMs);
  const reported = once(audience, 'message');
  audience.send('report');
  const [report] = (await reported) as [AudienceReport];
  audience.kill();
  return sampleOf(report, owners);
}

/** Submits at a steady pace, each user in turn at each replica in turn. Returns the user of each task. */
async function placeTasks(urls: readonly string[], tokens: readonly string[]): Promise<Map<string, number>> {
  const owners = new Map<string, number>();
  const startedMs = performance.now();
  const submitting: Promise<void>[] = [];
  for (let n = 0; n < tasksPerSecond * seconds; n += 1) {
    await sleep(Math.max(0, startedMs + (n * 1_000) / tasksPerSecond - performance.now()));
    const user = n % users;
    submitting.push(
      submit(urls[n % urls.length] ?? '', { token: tokens[user] ?? '', number: n }).then((id) => {
        owners.set(id, user);
      }),
    );
  }
  await Promise.all(submitting);
  return owners;
}

async function submit(url: string, { token, number }: { token: string; number: number }): Promise<string> {
  const answer = await fetch(new URL('/api/tasks', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: workflows[number % workflows.length], params: {} }),
  });
  if (!answer.ok) throw new Error(`A task was answered with ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: { id: string } }).data.id;
}

function sampleOf({ messages, others, closed }: AudienceReport, owners: ReadonlyMap<string, number>): Sample {
  const sample: Sample = { delaysMs: [], lost: 0, doubled: 0, strayed: 0, others, closed };
  const known = new Map(messages.map((message) => [`${message.type} ${message.taskId}`, message]));
  for (const [taskId, user] of owners) {
    for (const type of said) {
      const { sentMs = 0, arrivals = [] } = known.get(`${type} ${taskId}`) ?? {};
      const own = arrivals.filter(([socket]) => Math.floor(socket / socketsPerUser) === user);
      const reached = new Set(own.map(([socket]) => socket)).size;
      sample.lost += socketsPerUser - reached;
      sample.doubled += own.length - reached;
      sample.strayed += arrivals.length - own.length;
      sample.delaysMs.push(...own.map(([, atMs]) => atMs - sentMs));
    }
  }
  return sample;
}

function faults({ lost, doubled, strayed }: Sample): number {
  return lost + doubled + strayed;
}
