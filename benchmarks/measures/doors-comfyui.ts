import { Agent } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import type { FakeWorkerOptions } from '@switchyard/dev-env/fake-worker';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { registered, signedInAsAdmin } from '../cluster/bench-sign-in.ts';
import { ComfyuiClient, type PoolClient, TaskClient } from '../doors/pool-client.ts';
import { workflows } from '../graphs/workflows.ts';
import { httpCall } from '../http-call.ts';
import { type Figure, isRehearsal, type Measured, measure } from '../measure.ts';
import { cpuTimeUs, mainThreadMs, residentMb } from '../process-usage.ts';
import { median } from '../statistics.ts';

const rounds = isRehearsal ? 1 : 3;
const workers = 8;
const socketUsers = 4;
const socketsPerUser = isRehearsal ? 5 : 50;
const promptsEach = isRehearsal ? 1 : 3;
const classes = 5_000;
const restRounds = isRehearsal ? 1 : 11;
const settleMs = 3_000;
const comfyApi = '/comfy/api/v2';

await measure('doors-comfyui', 'The pool as one ComfyUI, beside the same work on `/api`', async () => {
  const parts = [await calls(), await tasks(), await sockets(), await objectInfo(), await atRest()];
  return {
    figures: parts.flatMap(({ figures }) => figures),
    bars: parts.flatMap(({ bars }) => bars),
    notes: [
      `The load of the machine was ${loadavg()
        .map((load) => load.toFixed(1))
        .join(
          ', ',
        )} at the end; gateway, workers and clients share two cores. Rounds of the two sides take turns.`,
      ...parts.flatMap(({ notes = [] }) => notes),
    ],
  };
});

interface Pool {
  gateway: SpawnedGateway;
  home: string;
  close: () => Promise<void>;
}

async function startPool(
  count: number,
  options: FakeWorkerOptions = {},
  env: Record<string, string> = {},
): Promise<Pool> {
  const home = temporaryFolder();
  const fleet = await startFakeFleet(count, options);
  const gateway = await SpawnedGateway.start({
    home: home.path,
    env: {
      SWITCHYARD__DISPATCH__WORKERS: fleet.ports.map((port) => `127.0.0.1:${port}`).join(','),
      SWITCHYARD__OBSERVABILITY__LOG__LEVEL: 'warn',
      ...env,
    },
  });
  const admin = await signedInAsAdmin(gateway.url, home.path);
  const agent = new Agent();
  for (;;) {
    const headers = { authorization: `Bearer ${admin}` };
    const answer = await httpCall(agent, { method: 'GET', url: `${gateway.url}/api/instances`, headers });
    const { data } = JSON.parse(answer.toString()) as { data: { state: string }[] };
    if (data.length === count && data.every(({ state }) => state === 'idle')) break;
    await sleep(50);
  }
  return {
    gateway,
    home: home.path,
    close: async () => {
      await gateway.stop();
      await fleet.close();
      home.remove();
    },
  };
}

/** One call after the other, on each side in turn. */
async function calls(): Promise<Measured> {
  const pool = await startPool(workers, { outputBytes: 20_000 });
  const token = await registered(pool.gateway.url, 'calls@example.com');
  const own = new TaskClient(pool.gateway.url, token);
  const door = new ComfyuiClient(pool.gateway.url, token, 'calls');
  await own.open();
  await door.open();
  const [workflow] = workflows;
  if (!workflow) throw new Error('There are workflows.');
  for (let count = 0; count < 100; count += 1) await (count % 2 ? own : door).run(workflow);
  const [task, prompt] = [await own.run(workflow), await door.run(workflow)];
  const files = { own: await own.fileOf(task), door: await door.fileOf(prompt) };
  const job = `${comfyApi}/jobs/${task}`;
  const { outputs } = JSON.parse((await own.call('GET', job)).toString()) as { outputs: { id: string }[] };
  const asset = `${comfyApi}/assets/${outputs[0]?.id}/content`;
  const get = (path: string) => () => own.call('GET', path);
  const sides: Record<string, Record<string, () => Promise<unknown>>> = {
    submit: {
      'on /api': () => own.send(workflow),
      'at the door': () => door.send(workflow),
      'by the Comfy API': () => own.call('POST', `${comfyApi}/jobs`, { workflow }),
    },
    'result of one': {
      'on /api': get(`/api/tasks/${task}`),
      'at the door': get(`/comfy/history/${prompt}`),
      'by the Comfy API': get(job),
    },
    'last five': {
      'on /api': get('/api/tasks?limit=5'),
      'at the door': get('/comfy/history?max_items=5'),
      'by the Comfy API': get(`${comfyApi}/jobs?limit=5`),
    },
    'file of 20 kB': {
      'on /api': get(files.own),
      'at the door': get(files.door),
      'by the Comfy API': get(asset),
    },
    'length of the queue': { 'on /api': get('/api/tasks/counts'), 'at the door': get('/comfy/prompt') },
  };
  const figures: Figure[] = [];
  const added: number[] = [];
  for (const [name, side] of Object.entries(sides)) {
    const [ownMs = 0, ...doorMs] = await inTurn(Object.values(side), isRehearsal ? 20 : 400);
    added.push(...doorMs.map((ms) => ms - ownMs));
    for (const [index, value] of [ownMs, ...doorMs].entries())
      figures.push({ name: `${name}: ${Object.keys(side)[index]} (p50)`, value, unit: 'ms' });
  }
  for (const client of [own, door]) client.close();
  await pool.close();
  return {
    figures,
    bars: [{ promise: 'a call at either door takes ≤ 2 ms more (p50)', isMet: Math.max(...added) <= 2 }],
  };
}

async function inTurn(calls: readonly (() => Promise<unknown>)[], times: number): Promise<number[]> {
  const took = calls.map((): number[] => []);
  for (let time = 0; time < times; time += 1) {
    for (const [index, call] of calls.entries()) {
      const started = performance.now();
      await call();
      took[index]?.push(performance.now() - started);
    }
  }
  return took.map(median);
}

/** Sixteen clients, each with an account and a socket of its own and one prompt at a time, on both sides in turn. */
async function tasks(): Promise<Measured> {
  const pool = await startPool(workers, { outputBytes: 20_000 });
  const own: PoolClient[] = [];
  const door: PoolClient[] = [];
  for (let client = 0; client < 16; client += 1) {
    const token = await registered(pool.gateway.url, `client-${client}@example.com`);
    own.push(new TaskClient(pool.gateway.url, token));
    door.push(new ComfyuiClient(pool.gateway.url, token, `client-${client}`));
  }
  const count = isRehearsal ? 100 : 800;
  await rateOf(own, count / 2);
  await rateOf(door, count / 2);
  const rates: { own: number[]; door: number[] } = { own: [], door: [] };
  const cpuMs = { own: 0, door: 0 };
  for (let round = 0; round < rounds; round += 1) {
    for (const [side, clients] of Object.entries({ own, door }) as ['own' | 'door', PoolClient[]][]) {
      const beforeUs = cpuTimeUs(pool.gateway.pid);
      rates[side].push(await rateOf(clients, count));
      cpuMs[side] += (cpuTimeUs(pool.gateway.pid) - beforeUs) / 1_000 / (rounds * count);
    }
  }
  await pool.close();
  const [ofOwn, ofDoor] = [median(rates.own), median(rates.door)];
  return {
    figures: [
      { name: `door: socket, prompt, history, file (median of ${rounds})`, value: ofDoor, unit: '/s' },
      { name: `/api: socket, task, task, file (median of ${rounds})`, value: ofOwn, unit: '/s' },
      { name: 'door beside /api', value: (100 * ofDoor) / ofOwn, unit: '%' },
      { name: 'processor time of the gateway, a task at the door', value: cpuMs.door, unit: 'ms' },
      { name: 'processor time of the gateway, a task on /api', value: cpuMs.own, unit: 'ms' },
    ],
    bars: [
      {
        promise: '≥ 80 % of the tasks of /api at 8 workers, each fetched by its client',
        isMet: ofDoor >= 0.8 * ofOwn,
      },
    ],
  };
}

/** Sockets are open while their side runs, so neither side pays for the other's. */
async function rateOf(clients: readonly PoolClient[], count: number): Promise<number> {
  for (const client of clients) await client.open();
  const started = performance.now();
  let left = count;
  const lane = async (client: PoolClient): Promise<void> => {
    while (left-- > 0) await client.run(workflows[left % workflows.length] ?? {});
  };
  await Promise.all(clients.map(lane));
  const took = performance.now() - started;
  for (const client of clients) client.close();
  return (count / took) * 1_000;
}

async function sockets(): Promise<Measured> {
  const pool = await startPool(workers, { outputBytes: 20_000, isLifelike: true });
  const tokens: string[] = [];
  for (let user = 0; user < socketUsers; user += 1)
    tokens.push(await registered(pool.gateway.url, `sockets-${user}@example.com`));
  const clientOf = (id: string) => (token: string, index: number) =>
    new ComfyuiClient(pool.gateway.url, token, `${id}-${index}`);
  // The same work with few sockets comes first: what it leaves in memory is not theirs.
  const few = tokens.map(clientOf('warm'));
  await rateOf(few, socketUsers * socketsPerUser * promptsEach);
  const beforeMb = residentMb(pool.gateway.pid);
  const many = tokens.flatMap((token, user) =>
    Array.from({ length: socketsPerUser }, (_, index) => clientOf(`user-${user}`)(token, index)),
  );
  for (const client of many) await client.open();
  let peakMb = beforeMb;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pool.gateway.pid));
  }, 100);
  const faults = { lost: 0, doubled: 0, strayed: 0 };
  let frames = 0;
  await Promise.all(
    many.map(async (client) => {
      for (let turn = 0; turn < promptsEach; turn += 1) {
        const workflow = workflows[turn % workflows.length] ?? {};
        const id = await client.run(workflow);
        const found = faultsIn(client, id, Object.keys(workflow));
        for (const key of ['lost', 'doubled', 'strayed'] as const) faults[key] += found[key];
        frames += client.frames.length;
        client.frames.length = 0;
      }
    }),
  );
  clearInterval(sampling);
  for (const client of many) client.close();
  await pool.close();
  const grownMb = peakMb - beforeMb;
  return {
    figures: [
      { name: `${many.length} sockets, a prompt each at a time: frames`, value: frames, unit: '' },
      {
        name: 'frames lost, doubled or of another client',
        value: faults.lost + faults.doubled + faults.strayed,
        unit: '',
      },
      { name: 'memory that they add at most', value: grownMb, unit: 'MB' },
    ],
    bars: [
      {
        promise: '200 sockets with running prompts: every frame once',
        isMet: faults.lost + faults.doubled + faults.strayed === 0,
      },
      { promise: '200 sockets with running prompts: ≤ 60 MB', isMet: grownMb <= 60 },
    ],
    notes: [
      '`progress` and `progress_state` replace each other while they wait, so they are load and are not counted one by one.',
    ],
  };
}

/** Each prompt has these frames once: its start, what was cached, each node, its output, its success, and that no node runs. */
function faultsIn(client: ComfyuiClient, promptId: string, nodes: readonly string[]) {
  const wanted = [
    'execution_start',
    'execution_cached',
    ...nodes.map((node) => `executing ${node}`),
    `executed ${nodes.at(-1)}`,
    'execution_success',
    'executing null',
  ];
  const told = client.frames.filter(({ type }) => type !== 'status' && !type.startsWith('progress'));
  const own = told.filter(({ data }) => data.prompt_id === promptId);
  const names = own.map(({ type, data }) => (data.node === undefined ? type : `${type} ${data.node}`));
  const distinct = new Set(names);
  return {
    lost: wanted.filter((name) => !distinct.has(name)).length,
    doubled: names.length - distinct.size,
    strayed: told.length - own.length,
  };
}

async function objectInfo(): Promise<Measured> {
  const names = Array.from({ length: classes }, (_, index) => `Node ${index}`);
  const choices = (node: string) =>
    Array.from({ length: 24 }, (_, index) => `${node}/choice-${index}`.padEnd(58, 'x'));
  const models = Object.fromEntries(names.map((node) => [`${node}.value`, choices(node)]));
  const pool = await startPool(1, { nodeClasses: names, models });
  const { gateway } = pool;
  const token = await registered(gateway.url, 'nodes@example.com');
  const authorization = `Bearer ${token}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const get = (path: string, encoding?: string): Promise<Buffer> =>
    httpCall(agent, {
      method: 'GET',
      url: new URL(path, gateway.url),
      headers: { authorization, ...(encoding && { 'accept-encoding': encoding }) },
    });
  const started = performance.now();
  const whole = await get('/comfy/object_info');
  const firstMs = performance.now() - started;
  const forms = [
    { name: 'as it is', encoding: undefined, times: 24 },
    { name: 'compressed', encoding: 'gzip', times: 400 },
  ];
  const figures: Figure[] = [
    { name: `size of /object_info with ${classes} classes`, value: whole.byteLength / 1e6, unit: 'MB' },
    { name: '/object_info, the first answer', value: firstMs, unit: 'ms' },
  ];
  const shares: number[] = [];
  for (const { name, encoding, times } of forms) {
    const file = await storeFile(gateway.url, token, await get('/comfy/object_info', encoding));
    const rates: { door: number[]; file: number[] } = { door: [], file: [] };
    const count = isRehearsal ? 4 : times;
    for (let round = 0; round < rounds; round += 1) {
      rates.file.push(await callRate(() => get(file), count));
      rates.door.push(await callRate(() => get('/comfy/object_info', encoding), count));
    }
    shares.push(median(rates.door) / median(rates.file));
    figures.push(
      { name: `/object_info, ${name} (median of ${rounds})`, value: median(rates.door), unit: '/s' },
      {
        name: `a stored file of that size, ${name} (median of ${rounds})`,
        value: median(rates.file),
        unit: '/s',
      },
    );
  }
  agent.destroy();
  await pool.close();
  return {
    figures,
    bars: [
      {
        promise: '/object_info at ≥ 90 % of the rate of a static file of that size',
        isMet: Math.min(...shares) >= 0.9,
      },
    ],
  };
}

async function storeFile(url: string, token: string, bytes: Buffer): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), 'static.bin');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(new URL('/api/files/upload', url), { method: 'POST', headers, body: form });
  const { data } = (await answer.json()) as { data: { url: string } };
  return data.url;
}

async function callRate(call: () => Promise<unknown>, count: number, atOnce = 4): Promise<number> {
  const started = performance.now();
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return (count / (performance.now() - started)) * 1_000;
}

interface Rest {
  startMs: number;
  startCpuMs: number;
  idleMb: number;
}

/** A gateway whose doors are not used, beside one that has none. */
async function atRest(): Promise<Measured> {
  const open: Rest[] = [];
  const closed: Rest[] = [];
  const home = temporaryFolder();
  await restOf(home.path, true);
  for (let round = 0; round < restRounds; round += 1) {
    // The first of two may find the machine in another state than the second, so each side is first as often.
    const sides = round % 2 === 0 ? [true, false] : [false, true];
    for (const isOpen of sides) (isOpen ? open : closed).push(await restOf(home.path, isOpen));
  }
  home.remove();
  const of = (rests: readonly Rest[], key: keyof Rest) => median(rests.map((rest) => rest[key]));
  // Whatever else happens on the machine only adds to it, so the least of all rounds says most.
  const least = (rests: readonly Rest[]) => Math.min(...rests.map(({ startCpuMs }) => startCpuMs));
  const startShare = least(open) / least(closed);
  const addedMb = of(open, 'idleMb') - of(closed, 'idleMb');
  return {
    figures: [
      { name: `start with both doors (median of ${restRounds})`, value: of(open, 'startMs'), unit: 'ms' },
      { name: `start without them (median of ${restRounds})`, value: of(closed, 'startMs'), unit: 'ms' },
      {
        name: `processor time of the start, least of ${restRounds}, beside without`,
        value: 100 * startShare,
        unit: '%',
      },
      { name: 'memory of doors that are not called', value: addedMb, unit: 'MB' },
    ],
    bars: [
      { promise: 'start ≤ 2 % more processor time than without the doors', isMet: startShare <= 1.02 },
      { promise: 'doors that are not called ≤ 2 MB', isMet: addedMb <= 2 },
    ],
  };
}

async function restOf(home: string, isOpen: boolean): Promise<Rest> {
  const started = performance.now();
  const gateway = await SpawnedGateway.start({
    home,
    env: {
      SWITCHYARD__DOORS__COMFYUI__ENABLED: String(isOpen),
      SWITCHYARD__DOORS__COMFY_API__ENABLED: String(isOpen),
    },
  });
  const startMs = performance.now() - started;
  const startCpuMs = mainThreadMs(gateway.pid);
  await sleep(settleMs);
  const idleMb = residentMb(gateway.pid);
  await gateway.stop();
  return { startMs, startCpuMs, idleMb };
}
