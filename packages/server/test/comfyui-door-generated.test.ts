import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';
import { SeededRandom } from './support/generated/seeded-random.ts';

/** `GENERATED_REQUESTS` sets how many are sent, `GENERATED_SEED` repeats a test. */
const count = Number(process.env.GENERATED_REQUESTS ?? 500);
const seed = Number(process.env.GENERATED_SEED ?? randomInt(2 ** 31));
const batch = 250;

const odd: unknown[] = [
  null,
  true,
  -1,
  1e300,
  '',
  'a',
  '\u202e',
  '\0',
  '../x',
  'x'.repeat(5_000),
  [],
  [['1', 0]],
  {},
  { constructor: 1 },
  ['1', 0],
  ['9', 0],
  { $file: 'x' },
  '{{name}}',
  'photo.png [output]',
];
const fields = [
  'prompt',
  'prompt_id',
  'client_id',
  'extra_data',
  'front',
  'number',
  'partial_execution_targets',
];
const queries = ['filename', 'subfolder', 'type', 'max_items', 'offset', 'clientId', 'preview'];
const reads = [
  '/prompt',
  '/queue',
  '/history',
  '/history/x',
  '/history/%00',
  '/object_info',
  '/object_info/%5B',
  '/models',
  '/models/constructor',
];
const others = ['/view', '/system_stats', '/x', '/manager/version', ''];
const parts = ['image', 'overwrite', 'subfolder', 'type', 'mask'];

let pool: DispatchPool;
let ada: ComfyuiCaller;
const statuses = new Map<number, number>();

beforeAll(async () => {
  process.stderr.write(`Requests at the door: GENERATED_SEED=${seed} GENERATED_REQUESTS=${count}\n`);
  pool = await startPool();
  ada = await ComfyuiCaller.register(pool.gateway.url, 'ada@example.com');
});
afterAll(async () => {
  const sums = [...statuses].sort().map(([status, sum]) => `${status}: ${sum}`);
  process.stderr.write(`Answers by status: ${sums.join(', ')}\n`);
  await pool.close();
});

interface Generated {
  described: string;
  answer: Promise<Response>;
  /** Returns whether the answer has the form that ComfyUI gives it. */
  isShaped: (status: number, text: string) => boolean;
}

/** A prompt with one odd value in its graph and perhaps another one beside the graph. */
function promptOf(random: SeededRandom): Generated {
  const graph: Record<string, unknown> = structuredClone(anyWorkflow);
  const node = random.pick(Object.keys(anyWorkflow)) as keyof typeof anyWorkflow;
  const part = random.pick(['node', 'class_type', 'inputs', 'width', 'images', 'image', '__proto__']);
  const value = random.pick(odd);
  if (part === 'node') graph[node] = value;
  else if (part === 'class_type' || part === 'inputs') graph[node] = { ...anyWorkflow[node], [part]: value };
  else {
    const inputs = { ...anyWorkflow[node].inputs, [part]: value };
    graph[node] = { class_type: random.pick(['LoadImage', anyWorkflow[node].class_type]), inputs };
  }
  const extra = random.pick([true, false]) ? { [random.pick(fields)]: random.pick(odd) } : {};
  const body = JSON.stringify({ prompt: graph, client_id: 'generated', ...extra });
  const sent = random.pick([body, body, body, body.slice(0, -1), JSON.stringify(random.pick(odd))]);
  return {
    described: `POST /prompt ${sent.slice(0, 600)}`,
    answer: ada.fetch('/prompt', { method: 'POST', body: sent }),
    isShaped: (status, text) => {
      const said = JSON.parse(text);
      if (status === 200) return typeof said.prompt_id === 'string' && typeof said.number === 'number';
      return typeof said.error?.type === 'string' && said.node_errors !== undefined;
    },
  };
}

function readOf(random: SeededRandom): Generated {
  const query = new URLSearchParams([[random.pick(queries), String(random.pick(odd))]]);
  if (random.pick([true, false])) query.append('filename', String(random.pick(odd)));
  const isRead = random.pick([true, false]);
  const path = `${random.pick(['', '/api'])}${random.pick(isRead ? reads : others)}?${query}`;
  return {
    described: `GET ${path.slice(0, 300)}`,
    answer: ada.fetch(path),
    isShaped: (status, text) =>
      status === 200 ? !isRead || typeof JSON.parse(text) === 'object' : text.startsWith(`${status}: `),
  };
}

function uploadOf(random: SeededRandom): Generated {
  const form = new FormData();
  for (let number = random.pick([0, 1, 2, 3]); number > 0; number -= 1)
    form.append(random.pick(parts), String(random.pick(odd)));
  const name = String(random.pick(odd));
  if (random.pick([true, true, false])) form.append(random.pick(parts), new Blob(['x']), name);
  return {
    described: `POST /upload/image ${JSON.stringify([...form].map(([key, value]) => [key, String(value)])).slice(0, 300)} ${name.slice(0, 100)}`,
    answer: ada.fetch('/upload/image', { method: 'POST', body: form }),
    isShaped: (status, text) =>
      status === 200 ? typeof JSON.parse(text).name === 'string' : text.startsWith(`${status}: `),
  };
}

function changeOf(random: SeededRandom): Generated {
  const path = random.pick(['/queue', '/api/queue', '/interrupt', '/free']);
  const fields = { [random.pick(['clear', 'delete', 'prompt_id'])]: random.pick(odd) };
  const body = random.pick([null, '{', JSON.stringify(random.pick(odd)), JSON.stringify(fields)]);
  return {
    described: `POST ${path} ${body?.slice(0, 300) ?? ''}`,
    answer: ada.fetch(path, { method: 'POST', ...(body !== null && { body }) }),
    isShaped: (status, text) => (status === 200 ? text === '' : text.startsWith(`${status}: `)),
  };
}

/** Sends the requests from `first`, one after the other. Each has its own random choices, so that it can be repeated alone. */
async function failuresOf(first: number): Promise<string[]> {
  const failures: string[] = [];
  for (let index = first; index < Math.min(first + batch, count); index += 1) {
    const random = new SeededRandom(seed + index);
    const { described, answer, isShaped } = random.pick([promptOf, readOf, uploadOf, changeOf])(random);
    const { status } = await answer;
    const text = await (await answer).text();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 500 || !isShaped(status, text))
      failures.push(`#${index} ${described} → ${status} ${text.slice(0, 300)}`);
  }
  return failures;
}

const batches = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch);

test.each(batches)(
  `of seed ${seed}, requests at the door from number %i on get answers of ComfyUI`,
  async (first) => {
    expect(await failuresOf(first)).toEqual([]);
  },
);
