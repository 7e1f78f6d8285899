import { randomInt } from 'node:crypto';
import { comfyApiAsset, comfyApiError, comfyApiJob } from '@switchyard/contract/doors/comfy-api';
import { openaiError } from '@switchyard/contract/doors/openai';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';
import { SeededRandom } from './support/generated/seeded-random.ts';
import { McpCallers } from './support/mcp-callers.ts';

/** `GENERATED_REQUESTS` sets how many are sent to each door, `GENERATED_SEED` repeats a test. */
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
const queries = [
  'filename',
  'subfolder',
  'type',
  'max_items',
  'offset',
  'clientId',
  'preview',
  'channel',
  'status',
  'workflow_id',
  'sort_by',
  'sort_order',
  'limit',
  'dir',
  'path',
  'recurse',
  'full_info',
  'split',
];
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
  '/settings',
  '/settings/constructor',
  '/users',
  '/extensions',
  '/embeddings',
  '/i18n',
  '/experiment/models',
  '/internal/logs/raw',
  '/internal/files/input',
  '/internal/files/output',
];
/** Folders of user data, which are lists or absent. */
const folders = ['/userdata', '/v2/userdata'];
const stored = ['a.json', 'workflows%2Fb.json', '..%2Fx', '%2Fetc', 'x%00', 'a%5Cb', '%E2%80%AE', 'user.css'];
const others = ['/view', '/system_stats', '/x', '/manager/version', ''];
const parts = ['image', 'overwrite', 'subfolder', 'type', 'mask', 'original_ref'];

let pool: DispatchPool;
/** A client at the door, and one that has the cookie of the page of ComfyUI at its listener. */
let callers: { client: ComfyuiCaller; page: ComfyuiCaller };
let ada: ComfyuiCaller;
let agent: McpCallers;
let openai: ComfyuiCaller;
const statuses = new Map<number, number>();

beforeAll(async () => {
  process.stderr.write(`Requests at each door: GENERATED_SEED=${seed} GENERATED_REQUESTS=${count}\n`);
  pool = await startPool({ config: { doors: { comfyui: { port: 0, page_routes: ['/pysssss'] } } } });
  callers = {
    client: await ComfyuiCaller.register(pool.gateway.url, 'ada@example.com'),
    page: await pageOf('page@example.com'),
  };
  agent = await McpCallers.of(pool.gateway.url, await pool.gateway.register('agent@example.com'));
  const caller = await DispatchCaller.login(pool.gateway.url, 'agent@example.com');
  await caller.call('POST', '/api/workflows', { name: 'Odd', workflow: anyWorkflow, exposed: true });
  const everything = ['dispatch:read', 'dispatch:write', 'conversation:read', 'conversation:write'];
  const { token } = await ComfyuiCaller.register(pool.gateway.url, 'bob@example.com', everything);
  openai = new ComfyuiCaller(`${pool.gateway.url}/v1`, token);
  const body = JSON.stringify({ name: 'poster', workflow: anyWorkflow, exposed: true, parameters: poster });
  const made = await fetch(`${pool.gateway.url}/api/workflows`, {
    method: 'POST',
    body,
    headers: { ...openai.headers, 'content-type': 'application/json' },
  });
  expect(made.status).toBe(200);
});
afterAll(async () => {
  const sums = [...statuses].sort().map(([status, sum]) => `${status}: ${sum}`);
  process.stderr.write(`Answers by status: ${sums.join(', ')}\n`);
  await pool.close();
});

async function pageOf(email: string): Promise<ComfyuiCaller> {
  const session = await pool.gateway.register(email);
  const { data } = await session.post<{ data: { url: string } }>('/api/comfyui/page', {});
  const opened = await fetch(data.url, { redirect: 'manual' });
  const [cookie = ''] = (opened.headers.getSetCookie()[0] ?? '').split(';');
  const { origin } = new URL(data.url);
  return new ComfyuiCaller(origin, '', { cookie, origin });
}

/** The parameters of a saved workflow that makes pictures. */
const poster = [
  { name: 'filename_prefix', rename: 'prompt' },
  { name: 'color', rename: 'seed' },
];

interface Generated {
  described: string;
  answer: Promise<Response>;
  /** Returns whether the answer has the form that its door gives it. */
  isShaped: (status: number, text: string) => boolean;
}

/** A token needs no type of a body, and a cookie does. */
const typeIn = (random: SeededRandom): Record<string, string> =>
  random.pick<Record<string, string>>([{}, { 'content-type': 'application/json' }]);

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
    answer: ada.fetch('/prompt', { method: 'POST', body: sent, headers: typeIn(random) }),
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
      status === 200 ? !isRead || JSON.parse(text) !== undefined : text.startsWith(`${status}: `),
  };
}

/** What is said of jobs is JSON, also when it is refused. */
function pageJobOf(random: SeededRandom): Generated {
  const id = random.pick(['x', 'constructor', '0'.repeat(36), '00000000-0000-4000-8000-000000000000']);
  const body = JSON.stringify(random.pick([{ job_ids: random.pick(odd) }, random.pick(odd), {}]));
  const [path, init] = random.pick<[string, RequestInit]>([
    [`/api/jobs/${id}`, {}],
    [`/jobs/${id}/cancel`, { method: 'POST' }],
    ['/api/jobs/cancel', { method: 'POST', body }],
    [`/jobs?${random.pick(queries)}=${encodeURIComponent(String(random.pick(odd)))}`, {}],
  ]);
  return {
    described: `${path} ${body.slice(0, 300)}`,
    answer: ada.fetch(path, init),
    isShaped: (status, text) => status === 200 || typeof JSON.parse(text).error === 'string',
  };
}

function userDataOf(random: SeededRandom): Generated {
  const file = random.pick(stored);
  const odds = encodeURIComponent(String(random.pick(odd)));
  const query = `?${random.pick(queries)}=${odds}&overwrite=${random.pick(['true', 'false', ''])}`;
  const body = random.pick(['{', JSON.stringify(random.pick(odd)), '\0', 'a'.repeat(9_000)]);
  const headers = { 'content-type': random.pick(['application/json', 'text/plain', 'text/css', 'x/y']) };
  const [path, init] = random.pick<[string, RequestInit]>([
    [random.pick(folders), {}],
    [`/userdata/${file}`, {}],
    [`/userdata/${file}`, { method: 'DELETE' }],
    [`/userdata/${file}`, { method: 'POST', body, headers }],
    [`/userdata/${file}/move/${random.pick(stored)}`, { method: 'POST' }],
    ['/settings', { method: 'POST', body, headers }],
    [`/settings/${file}`, { method: 'POST', body, headers }],
  ]);
  return {
    described: `${init.method ?? 'GET'} ${path}${query.slice(0, 200)} ${JSON.stringify(headers)} ${body.slice(0, 200)}`,
    answer: ada.fetch(path + query, init),
    isShaped: (status, text) => status === 200 || status === 204 || text.startsWith(`${status}: `),
  };
}

function uploadOf(random: SeededRandom): Generated {
  const form = new FormData();
  for (let number = random.pick([0, 1, 2, 3]); number > 0; number -= 1)
    form.append(random.pick(parts), String(random.pick(odd)));
  const name = String(random.pick(odd));
  if (random.pick([true, true, false])) form.append(random.pick(parts), new Blob(['x']), name);
  const path = random.pick(['/upload/image', '/upload/mask']);
  return {
    described: `POST ${path} ${JSON.stringify([...form].map(([key, value]) => [key, String(value)])).slice(0, 300)} ${name.slice(0, 100)}`,
    answer: ada.fetch(path, { method: 'POST', body: form }),
    isShaped: (status, text) =>
      status === 200 ? typeof JSON.parse(text).name === 'string' : text.startsWith(`${status}: `),
  };
}

function changeOf(random: SeededRandom): Generated {
  const path = random.pick(['/queue', '/api/queue', '/interrupt', '/free', '/history']);
  const fields = { [random.pick(['clear', 'delete', 'prompt_id'])]: random.pick(odd) };
  const body = random.pick([null, '{', JSON.stringify(random.pick(odd)), JSON.stringify(fields)]);
  return {
    described: `POST ${path} ${body?.slice(0, 300) ?? ''}`,
    answer: ada.fetch(path, { method: 'POST', ...(body !== null && { body, headers: typeIn(random) }) }),
    isShaped: (status, text) => (status === 200 ? text === '' : text.startsWith(`${status}: `)),
  };
}

/** What earlier requests have made, so that some calls find what they name. */
const made: { jobs: string[]; assets: string[] } = { jobs: [], assets: [] };

const oddAssets: unknown[] = [
  { __type: 'core/ASSET' },
  { __type: 'core/ASSET', info: null },
  { __type: 'core/ASSET', info: { id: 'x' } },
  [{ __type: 'core/ASSET', info: { id: 'x' } }],
  { deep: { __type: 'core/ASSET' } },
];

/** A job with one odd value in its workflow and perhaps another one beside it. */
function jobOf(random: SeededRandom): Generated {
  const workflow: Record<string, unknown> = structuredClone(anyWorkflow);
  const node = random.pick(Object.keys(anyWorkflow)) as keyof typeof anyWorkflow;
  const asset = { __type: 'core/ASSET', info: { id: random.pick(['x', ...made.assets]) } };
  const value = random.pick([...odd, ...oddAssets, asset]);
  const part = random.pick(['none', 'node', 'class_type', 'inputs', 'width', 'images', 'image', '__proto__']);
  if (part === 'node') workflow[node] = value;
  else if (part === 'class_type' || part === 'inputs')
    workflow[node] = { ...anyWorkflow[node], [part]: value };
  else if (part !== 'none')
    workflow[node] = {
      class_type: random.pick(['LoadImage', anyWorkflow[node].class_type]),
      inputs: { ...anyWorkflow[node].inputs, [part]: value },
    };
  const field = random.pick(['workflow', 'extra_data', 'webhook_url', 'metadata', '__proto__']);
  const extra = random.chance(0.3) ? { [field]: random.pick(odd) } : {};
  const body = JSON.stringify({ workflow, ...extra });
  const sent = random.pick([body, body, body, body.slice(0, -1), JSON.stringify(random.pick(odd))]);
  const headers: Record<string, string> = {
    'content-type': random.chance(0.1) ? 'text/plain' : 'application/json',
  };
  if (random.chance(0.3)) headers['idempotency-key'] = random.pick(['a', 'b', 'x'.repeat(300)]);
  return {
    described: `POST /api/v2/jobs ${sent.slice(0, 600)}`,
    answer: ada.fetch('/api/v2/jobs', { method: 'POST', body: sent, headers }),
    isShaped: (status, text) => {
      if (status !== 201) return isApiError(text);
      const job = JSON.parse(text);
      if (made.jobs.length < 20) made.jobs.push(job.id);
      return Value.Check(comfyApiJob, job);
    },
  };
}

function assetOf(random: SeededRandom): Generated {
  const form = new FormData();
  const fields: [string, string[]][] = [
    ['content_type', ['image/png', '', 'x'.repeat(5_000)]],
    ['file_path', ['a.png', '', '../../x', '\u202e', 'x'.repeat(1_100), 'CON']],
    ['expected_hash', [`blake3:${'0'.repeat(64)}`, 'x']],
    ['expires_in', ['60', '59', '-1', 'x']],
    ['tags', ['input', '']],
    ['strange', ['x']],
  ];
  for (const [name, values] of fields)
    if (random.chance(name === 'content_type' || name === 'file_path' ? 0.9 : 0.15))
      form.append(name, random.pick(values));
  if (random.chance(0.9))
    form.append(random.pick(['file', 'file', 'image']), new Blob([`${random.below(5)}`]), 'x');
  if (random.chance(0.1)) form.append('tags', 'late');
  return {
    described: `POST /api/v2/assets ${JSON.stringify([...form].map(([key, value]) => [key, String(value).slice(0, 80)]))}`,
    answer: ada.fetch('/api/v2/assets', { method: 'POST', body: form }),
    isShaped: assetShaped,
  };
}

function fromHashOf(random: SeededRandom): Generated {
  const hash = random.pick([`blake3:${'0'.repeat(64)}`, ...odd]);
  const body = JSON.stringify({
    hash,
    [random.pick(['file_path', 'tags', 'expires_in', 'x'])]: random.pick(odd),
  });
  const headers = { 'content-type': 'application/json' };
  return {
    described: `POST /api/v2/assets/from-hash ${body.slice(0, 300)}`,
    answer: ada.fetch('/api/v2/assets/from-hash', { method: 'POST', body, headers }),
    isShaped: assetShaped,
  };
}

function apiCallOf(random: SeededRandom): Generated {
  const id = random.pick(['x', '%00', '%zz', 'constructor', 'x'.repeat(300), ...made.jobs, ...made.assets]);
  const path = random.pick([
    '',
    '/health',
    `/jobs?${new URLSearchParams([[random.pick(['status', 'limit', 'x']), String(random.pick(odd))]])}`,
    `/jobs/${id}${random.pick(['', '/workflow', '/events', '/cancel', '/x'])}`,
    `/assets/${id}${random.pick(['', '/content', '/x'])}`,
    `/assets/by-hash/${id}`,
  ]);
  const method = random.pick(['GET', 'GET', 'GET', 'POST', 'DELETE', 'PUT']);
  const range = random.pick(['bytes=0-0', 'bytes=9-', 'bytes=x', '']);
  return {
    described: `${method} /api/v2${path.slice(0, 400)} ${range}`,
    answer: ada.fetch(`/api/v2${path}`, { method, ...(range !== '' && { headers: { range } }) }),
    isShaped: (status, text) => status < 300 || isApiError(text),
  };
}

const assetShaped: Generated['isShaped'] = (status, text) => {
  if (status >= 300) return isApiError(text);
  const asset = JSON.parse(text);
  if (made.assets.length < 20) made.assets.push(asset.id);
  return Value.Check(comfyApiAsset, asset);
};

/** Our own answer to an error has other names. */
function isApiError(text: string): boolean {
  const body = JSON.parse(text);
  return Value.Check(comfyApiError, body) && Object.keys(body).join() === 'error';
}

const mcpTools = [
  'get_task',
  'cancel_task',
  'answer_task',
  'why_task',
  'upload_file',
  'list_instances',
  'search_workflows',
  'run_workflow',
  'workflow_odd',
  'ask_x',
  'constructor',
];
const mcpArguments = ['task_id', 'answers', 'filename', 'content', 'name', 'workflow', 'params', 'width'];
const mcpTasks = ['x', 'run_x', 'run_', 'run_0199aaaa-0000-7000-8000-000000000000', '../x', ''];

/** A message of MCP with one odd value: a hostile argument, a foreign task, or a message that is none. */
function mcpCallOf(random: SeededRandom): Generated {
  const args = Object.fromEntries(
    [1, 2].map(() => [random.pick([...mcpArguments, '__proto__']), random.pick([...odd, ...mcpTasks])]),
  );
  const given = random.chance(0.1) ? random.pick(odd) : args;
  const inputResponses = { [random.pick(mcpTasks)]: random.pick([...odd, { action: 'accept' }]) };
  const [method, params] = random.pick<[string, object]>([
    ['tools/call', { name: random.pick(mcpTools), arguments: given }],
    ['tools/call', { name: random.pick(mcpTools), arguments: given }],
    ['tasks/get', { taskId: random.pick([...mcpTasks, ...odd]) }],
    ['tasks/cancel', { taskId: random.pick(mcpTasks) }],
    ['tasks/update', { taskId: random.pick(mcpTasks), inputResponses }],
    [random.pick(['tools/list', 'server/discover', 'resources/list', 'ping', 'x']), {}],
  ]);
  const message: Record<string, unknown> = agent.message(method, params, { withTasks: random.chance(0.9) });
  const isOlder = random.chance(0.2);
  if (isOlder) message.params = params;
  if (random.chance(0.2)) message[random.pick(['id', 'jsonrpc', 'method', 'params'])] = random.pick(odd);
  const sent = random.chance(0.1) ? JSON.stringify(random.pick([[message], ...odd])) : message;
  const headers: Record<string, string> = isOlder ? { 'mcp-protocol-version': '2025-06-18' } : {};
  if (random.chance(0.05)) headers['mcp-method'] = 'tools/other';
  return {
    described: `POST /mcp ${JSON.stringify(sent).slice(0, 600)}`,
    answer: agent.post(sent, headers),
    isShaped: (status, text) => {
      if (text === '') return status === 202;
      const answer = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
      return answer.jsonrpc === '2.0' && ('result' in answer || Number.isInteger(answer.error.code));
    },
  };
}

/** Files of the page, ways out of its folders, its entrance, and what belongs to the gateway alone. */
function pageCallOf(random: SeededRandom): Generated {
  const file = random.pick([
    ...stored,
    'a.js',
    'x'.repeat(1_200),
    '%zz',
    '..',
    '%2e%2e',
    'manager',
    '\u202e',
  ]);
  const path = `${random.pick(['', '/api'])}${random.pick([
    `/${file}`,
    `/assets/${file}`,
    `/extensions/${file}/${file}`,
    `/pysssss/${file}`,
    `/workflow_templates/switchyard/${file}`,
    '/switchyard/open',
    '/api/tasks',
    '/api/v2/jobs',
    '/comfy/queue',
    '/t/x/queue',
    '//x',
  ])}?${new URLSearchParams([[random.pick(['ticket', 'template', 'source', 'access_token']), String(random.pick(odd))]])}`;
  const method = random.pick(['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH']);
  const headers = random.pick<Record<string, string>>([
    {},
    {},
    { origin: 'null' },
    { cookie: `comfyui_page=${String(random.pick(['', 'x', 'a.b.c']))}` },
    { 'service-worker': 'script' },
    { range: 'bytes=0-0', 'if-none-match': '*' },
  ]);
  return {
    described: `${method} ${path.slice(0, 300)} ${JSON.stringify(headers)}`,
    answer: ada.fetch(path, { method, headers, redirect: 'manual' }),
    isShaped: (status, text) =>
      status < 400 || text.startsWith(`${status}: `) || text.startsWith('<!doctype html>'),
  };
}

const talkFields = [
  'messages',
  'input',
  'model',
  'stream',
  'stream_options',
  'metadata',
  'tools',
  'tool_choice',
  'response_format',
  'text',
  'reasoning',
  'stop',
  'n',
  'temperature',
  'max_tokens',
  'previous_response_id',
  'instructions',
  'store',
  '__proto__',
];
const models = ['lead_agent', 'model/switchyard-demo', 'model/x', 'workflow/poster', 'x', 'lead_agent\0', ''];
const oddContents: unknown[] = [
  ...odd,
  [{ type: 'text', text: 'hi' }],
  [{ type: 'image_url', image_url: { url: 'https://[::1]/' } }],
  [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }],
];
const oddMessages: unknown[] = [
  { role: 'tool', tool_call_id: 'x' },
  { role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'x', arguments: '{' } }] },
  { type: 'item_reference', id: 'msg_x' },
  { type: 'function_call_output', call_id: 'x', output: 'y' },
];

/** A request of either interface with one odd value, or one message that has one. */
function talkOf(random: SeededRandom): Generated {
  const isChat = random.chance(0.6);
  const message = random.chance(0.7)
    ? { role: random.pick(['user', 'user', 'system', 'assistant', 'x']), content: random.pick(oddContents) }
    : random.pick(oddMessages);
  const messages = [message, ...(random.chance(0.5) ? [{ role: 'user', content: 'hello' }] : [])];
  const field = random.pick(talkFields);
  const value = random.pick([...odd, { thread_id: random.pick(odd) }, [{ type: 'function', name: 'x' }]]);
  const asked = {
    model: random.pick(['model/switchyard-demo', 'lead_agent', ...models]),
    stream: random.chance(0.3),
    ...(isChat ? { messages } : { input: messages, store: random.chance(0.2) }),
    ...(random.chance(0.6) && { [field]: value }),
  };
  const path = isChat ? '/chat/completions' : '/responses';
  return posted(path, random.pick([asked, asked, asked, asked, random.pick(odd)]));
}

function imageOf(random: SeededRandom): Generated {
  const field = random.pick(['prompt', 'n', 'size', 'seed', 'width', 'response_format', 'x', '__proto__']);
  const asked = {
    model: random.pick(['workflow/poster', ...models]),
    prompt: 'a kite',
    [field]: random.pick([...odd, 1_000]),
  };
  return posted('/images/generations', asked);
}

function modelOf(random: SeededRandom): Generated {
  const id = random.pick([
    'x',
    '%00',
    '%zz',
    'constructor',
    'x'.repeat(600),
    'model%2Fx',
    'model/switchyard-demo',
  ]);
  const path = random.pick([
    '',
    '/models',
    `/models/${id}`,
    `/${id}`,
    '/chat/completions',
    '/files',
    '/embeddings',
  ]);
  const method = random.pick(['GET', 'GET', 'GET', 'POST', 'DELETE', 'PUT']);
  return {
    described: `${method} /v1${path.slice(0, 300)}`,
    answer: openai.fetch(path, { method }),
    isShaped: (status, text) => status < 300 || isOpenaiError(text),
  };
}

function posted(path: string, asked: unknown): Generated {
  const body = JSON.stringify(asked);
  const headers = { 'content-type': 'application/json' };
  return {
    described: `POST /v1${path} ${body.slice(0, 600)}`,
    answer: openai.fetch(path, { method: 'POST', body, headers }),
    isShaped: (status, text) => (status < 300 ? !text.includes('"server_error"') : isOpenaiError(text)),
  };
}

function isOpenaiError(text: string): boolean {
  const body = JSON.parse(text);
  return Value.Check(openaiError, body) && Object.keys(body).join() === 'error';
}

const agUiMessages: unknown[] = [
  { id: 'a', role: 'user', content: [{ type: 'image', source: { type: 'url', value: 'https://[::1]/' } }] },
  { id: 'a', role: 'user', content: [{ type: 'video' }] },
  { id: 'b', role: 'assistant', toolCalls: [{ id: 'x', function: { name: 'x', arguments: '{' } }] },
  { id: 'c', role: 'tool', content: 'x' },
  { id: 'd', role: 'activity', content: {} },
];

/** A run with odd values. Most name no agent, since a run takes long; the rest of the request is read before that is seen. */
function agUiCallOf(random: SeededRandom): Generated {
  const message = random.chance(0.6)
    ? { id: 'm', role: random.pick(['user', 'user', 'x']), content: random.pick(['hello', ...odd]) }
    : random.pick(agUiMessages);
  const given = {
    threadId: random.pick(['one', 'two', 'three']),
    runId: 'r',
    messages: random.chance(0.8) ? [message] : [{ id: 'm', role: 'user', content: 'hello' }],
  };
  const field = random.pick([
    'state',
    'tools',
    'context',
    'resume',
    'forwardedProps',
    '__proto__',
    'threadId',
  ]);
  const values = [[{ interruptId: 'x', status: 'resolved' }], { command: { resume: {} } }, [{ name: 'x' }]];
  const asked = random.chance(0.02) ? given : { ...given, [field]: random.pick([...odd, ...values]) };
  const path = `/ag-ui/${random.pick(['lead_agent', 'x', 'x', 'x', 'x', '%00', 'constructor'])}`;
  const body = JSON.stringify(random.pick([asked, asked, asked, random.pick(odd)]));
  const { headers } = openai;
  const url = `${pool.gateway.url}${path}`;
  return {
    described: `POST ${path} ${body.slice(0, 600)}`,
    answer: fetch(url, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    }),
    isShaped: (status, text) =>
      status < 300
        ? /"type":"RUN_(FINISHED|ERROR)"[^\n]*\n\n$/.test(text)
        : JSON.parse(text).detail !== undefined,
  };
}

const doors = {
  'AG-UI': { caller: 'client', calls: [agUiCallOf] },
  ComfyUI: { caller: 'client', calls: [promptOf, readOf, uploadOf, changeOf, pageJobOf, userDataOf] },
  'the Comfy API': { caller: 'client', calls: [jobOf, assetOf, fromHashOf, apiCallOf] },
  'the page of ComfyUI': {
    caller: 'page',
    calls: [pageCallOf, pageCallOf, promptOf, uploadOf, changeOf, pageJobOf, userDataOf],
  },
  MCP: { caller: 'client', calls: [mcpCallOf] },
  OpenAI: { caller: 'client', calls: [talkOf, talkOf, imageOf, modelOf] },
} as const;

/** Sends the requests from `first`, one after the other. Each has its own random choices, so that it can be repeated alone. */
async function failuresOf(door: keyof typeof doors, first: number): Promise<string[]> {
  const failures: string[] = [];
  ada = callers[doors[door].caller];
  for (let index = first; index < Math.min(first + batch, count); index += 1) {
    const random = new SeededRandom(seed + index);
    const { described, answer, isShaped } = random.pick(doors[door].calls)(random);
    const { status } = await answer;
    const text = await (await answer).text();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 500 || !isShaped(status, text))
      failures.push(`#${index} ${described} → ${status} ${text.slice(0, 300)}`);
  }
  return failures;
}

const batches = Object.keys(doors).flatMap((door) =>
  Array.from(
    { length: Math.ceil(count / batch) },
    (_, index) => [door as keyof typeof doors, index * batch] as const,
  ),
);

test.each(batches)(
  `of seed ${seed}, requests at the door of %s from number %i on get answers in its words`,
  async (door, first) => {
    expect(await failuresOf(door, first)).toEqual([]);
  },
);
