import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { type FakeOpenAi, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { loadConfig } from '@switchyard/server/config/load';
import { readModels } from '@switchyard/server/config/models';
import type { Config } from '@switchyard/server/config/schema';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { spanIdOf } from '../src/platform/telemetry/trace-ids.ts';
import { Traces } from '../src/platform/telemetry/traces.ts';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { type McpHttpServer, startMcpHttpServer } from './support/mcp-http-server.ts';
import { type ReplyReceiver, startReplyReceiver } from './support/reply-receiver.ts';

const graph = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'secretprefix' } },
};

interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

/** A receiver of OTLP over HTTP, in its JSON form. */
class Receiver {
  readonly spans: ReceivedSpan[] = [];
  readonly texts: string[] = [];
  readonly heads: { path: string | undefined; authorization: string | undefined }[] = [];
  answer: 'ok' | 'busy' | 'never' = 'ok';
  refused = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await json(request);
      if (this.answer !== 'ok') this.refused += 1;
      if (this.answer === 'never') return;
      if (this.answer === 'busy') return void response.writeHead(503).end();
      this.heads.push({ path: request.url, authorization: request.headers.authorization });
      this.texts.push(JSON.stringify(body));
      for (const { scopeSpans } of (body as { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] })
        .resourceSpans)
        for (const { spans } of scopeSpans) this.spans.push(...spans);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  /** The head of the request that brought a text. */
  headOf(text: string) {
    return this.heads[this.texts.findIndex((each) => each.includes(text))];
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const home = temporaryFolder();
const receiver = new Receiver();
let gateway: DevGateway;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let ada: ConversationCaller;
let pool: DispatchCaller;
let model: FakeOpenAi;
let far: McpHttpServer;
let hooks: ReplyReceiver;

/** Returns what a recipe of the guide sets, with the receiver of this test in the place of the product. */
async function recipeFor(product: 'Langfuse' | 'Phoenix'): Promise<Config['observability']['traces']> {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guide/traces.md'), 'utf8');
  const [, recipe = '', command = ''] =
    new RegExp(
      `^${product} takes[^]*?\`\`\`yaml\\n([^]*?)\`\`\`(?:\\n\\n<!--.*-->\\n\`\`\`sh\\n(.*)\\n)?`,
      'm',
    ).exec(guide) ?? [];
  const file = join(home.path, `${product}.yaml`);
  writeFileSync(file, recipe);
  const keys = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: 'sk-lf-2' };
  const LANGFUSE_AUTH = execFileSync('sh', ['-c', `${command || ':'}; printf %s "$LANGFUSE_AUTH"`], {
    env: { ...process.env, ...keys },
    encoding: 'utf8',
  });
  const { traces } = loadConfig({ flags: { config: file }, env: { LANGFUSE_AUTH }, cwd: home.path }).config
    .observability;
  const { origin } = new URL(await address);
  return { ...traces, endpoint: `${origin}${new URL(traces.endpoint ?? '').pathname}` };
}

async function open(content: boolean): Promise<void> {
  gateway = await startGateway({
    home: home.path,
    config: {
      database: { backend: 'sqlite' },
      dispatch: { webhooks_to_private_addresses: true },
      ...(content && {
        models: readModels({ fake: { base_url: model.url, api_key: 'sk-test', model: 'fake-1' } }),
      }),
      observability: {
        traces: content
          ? await recipeFor('Langfuse')
          : {
              endpoint: await address,
              headers: 'authorization=Basic%20c2VjcmV0',
              genai: false,
              content: false,
            },
      },
    },
  });
}

let address: Promise<string>;

beforeAll(async () => {
  address = receiver.listen();
  await open(false);
  far = await startMcpHttpServer();
  hooks = await startReplyReceiver();
  model = await startFakeOpenAi(({ messages, tools }) => {
    const asks = messages.at(-1)?.content === 'add one and two' && tools.includes('far_add');
    return asks ? { calls: [{ id: 'call_1', name: 'far_add', args: { a: 1, b: 2 } }] } : { text: 'Three.' };
  });
  worker = await startReferenceWorker();
  const admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
  pool = await DispatchCaller.login(gateway.url, 'ada@example.com');
  await pool.call('POST', '/api/workflows', { name: 'Plain ground', workflow: graph, exposed: true });
});
afterAll(async () => {
  await gateway.stop();
  await worker.close();
  receiver.close();
  await Promise.all([far.close(), hooks.close(), model.close()]);
  home.remove();
});

const attributeOf = (span: ReceivedSpan | undefined, key: string) => {
  const value = span?.attributes.find((each) => each.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

/** The names of the spans from one up to the root. */
function pathOf(span: ReceivedSpan | undefined, spans: readonly ReceivedSpan[]): string[] {
  if (span === undefined) return [];
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent ? pathOf(parent, spans) : span.parentSpanId ? ['caller'] : [])];
}

it('one chat turn that runs a workflow is one trace with every hop', async () => {
  const threadId = await ada.thread();
  const traceId = 'a1'.repeat(16);
  const answer = await gateway.fetch(`/api/threads/${threadId}/runs/wait`, {
    method: 'POST',
    headers: {
      'x-api-key': ada.token,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${'b2'.repeat(8)}-01`,
    },
    body: JSON.stringify({ assistant_id: 'lead_agent', input: says('run plain ground with width = 24') }),
  });
  expect(answer.status).toBe(200);
  await expect
    .poll(() => receiver.of(traceId).map(({ name }) => name))
    .toEqual(expect.arrayContaining(['run', 'task', 'POST /api/threads/:thread_id/runs/wait']));

  const spans = receiver.of(traceId);
  const named = (name: string) => spans.find((span) => span.name === name);
  const http = 'POST /api/threads/:thread_id/runs/wait';
  expect(pathOf(named('worker submit'), spans)).toEqual([
    'worker submit',
    'attempt',
    'task',
    'tool',
    'run',
    http,
    'caller',
  ]);
  expect(pathOf(named('model'), spans)).toEqual(['model', 'run', http, 'caller']);
  expect(spans.map(({ name }) => name)).toContain('worker collect');

  const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
  const { items } = (await pool.call('GET', `/api/tasks?threadId=${threadId}`)).data;
  expect(attributeOf(named('run'), 'switchyard.run_id')).toBe(run.run_id);
  expect(attributeOf(named('task'), 'switchyard.task_id')).toBe(items[0].id);
  expect(attributeOf(named('task'), 'switchyard.run_id')).toBe(run.run_id);
  expect(attributeOf(named(http), 'switchyard.request_id')).toBe(answer.headers.get('x-request-id'));
  const timeline = await ada.ok('GET', `/threads/${threadId}/runs/${run.run_id}/timeline`);
  const stored = timeline.spans.filter(({ kind }: { kind: string }) => ['model', 'tool'].includes(kind));
  const traced = spans.flatMap((span) => attributeOf(span, 'switchyard.span_id') ?? []);
  expect(traced.sort()).toEqual(stored.map(({ id }: { id: string }) => id).sort());
  expect(receiver.headOf(traceId)?.authorization).toBe('Basic c2VjcmV0');
  // By default no span has what people wrote, made or proved themselves with.
  expect(receiver.texts.join()).not.toMatch(/secretprefix|with width|plain ground|c2VjcmV0|ada@example/i);
});

it.each<[string, string, object]>([
  [
    'AG-UI',
    '/ag-ui/lead_agent',
    { threadId: 'traced', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'what can you do?' }] },
  ],
  [
    'OpenAI',
    '/v1/chat/completions',
    { model: 'lead_agent', messages: [{ role: 'user', content: 'what can you do?' }] },
  ],
])('a run that the door for %s begins belongs to the trace of its request', async (door, path, body) => {
  const traceId = (door === 'OpenAI' ? 'e5' : 'f6').repeat(16);
  const answer = await gateway.fetch(path, {
    method: 'POST',
    headers: {
      'x-api-key': ada.token,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${'b2'.repeat(8)}-01`,
    },
    body: JSON.stringify(body),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  await expect.poll(() => receiver.of(traceId).map(({ name }) => name)).toContain('run');
});

it('a token in an address of the ComfyUI door stands in no span', async () => {
  await gateway.fetch(`/comfy/t/${ada.token}/queue`);
  await expect.poll(() => receiver.spans.map(({ name }) => name)).toContain('GET /comfy/t/***/queue');
  expect(receiver.texts.join()).not.toContain(ada.token);
});

it('a task that waited over a restart belongs to the trace of its request', async () => {
  const traceId = 'c3'.repeat(16);
  const admin = await DispatchCaller.login(gateway.url, 'admin@example.com');
  const earlier = await pool.submit({ workflow: graph });
  await pool.ended(earlier.id);
  await admin.call('POST', '/api/queue/pause', {});
  const { id } = await pool.submit(
    { workflow: graph },
    { traceparent: `00-${traceId}-${'d4'.repeat(8)}-01` },
  );
  await gateway.stop();
  // Spans of what has ended just before are sent before it stops.
  const sent = receiver.spans.filter(({ name }) => name === 'task');
  expect(sent.map((span) => attributeOf(span, 'switchyard.task_id'))).toContain(earlier.id);
  await open(true);
  await admin.at(gateway.url).call('POST', '/api/queue/resume', {});
  await expect.poll(() => receiver.of(traceId).map(({ name }) => name)).toContain('task');

  const spans = receiver.of(traceId);
  const submit = spans.find(({ name }) => name === 'worker submit');
  expect(pathOf(submit, spans)).toEqual(['worker submit', 'attempt', 'task', 'POST /api/tasks', 'caller']);
  expect(
    attributeOf(
      spans.find(({ name }) => name === 'task'),
      'switchyard.task_id',
    ),
  ).toBe(id);
});

it('models, MCP servers and webhooks get the trace of the run or task that calls them', async () => {
  const account = { email: 'admin@example.com', password: 'correct horse battery' };
  const session = await HttpSession.login(gateway.url, account);
  const admin = await ConversationCaller.of(gateway.url, session, ['admin']);
  const servers = { mcp_servers: { far: { type: 'http', url: far.url } } };
  await admin.ok('PUT', '/mcp/config', servers);
  const traceId = 'a7'.repeat(16);
  const traceparent = `00-${traceId}-${'b2'.repeat(8)}-01`;
  const own = await ConversationCaller.of(gateway.url, await gateway.register('own@example.com'));
  const threadId = await own.thread();
  const answer = await gateway.fetch(`/api/threads/${threadId}/runs/wait`, {
    method: 'POST',
    headers: { 'x-api-key': own.token, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({
      assistant_id: 'lead_agent',
      input: says('add one and two'),
      webhook: `${hooks.url}/run`,
    }),
  });
  expect(answer.status).toBe(200);
  const { id: taskId } = await (await DispatchCaller.login(gateway.url, 'own@example.com')).submit(
    { workflow: graph, webhook: { url: `${hooks.url}/task` } },
    { traceparent },
  );
  const [{ run_id: runId }] = await own.ok('GET', `/threads/${threadId}/runs`);
  const within = (key: string) => `00-${traceId}-${spanIdOf(key)}-01`;

  await expect
    .poll(() => hooks.replies.map(({ headers }) => headers.traceparent).sort())
    .toEqual([within(runId), within(taskId)].sort());
  expect(far.metas).toEqual([expect.objectContaining({ traceparent: within(`${runId}/call_1`) })]);
  expect(model.requests.length).toBeGreaterThan(1);
  // The title is asked for beside the agent's own calls.
  for (const request of model.requests) expect(request.traceparent).toBe(within(runId));
});

it('names of generative AI, questions and answers are there when they are asked for', async () => {
  const call = (path: string, body: object) =>
    gateway.fetch(`/api/threads${path}`, {
      method: 'POST',
      headers: { 'x-api-key': ada.token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { thread_id: threadId } = (await (await call('', {})).json()) as { thread_id: string };
  await call(`/${threadId}/runs/wait`, { assistant_id: 'lead_agent', input: says('who are you?') });
  const named = (start: string) =>
    receiver.spans.find(
      (span) => span.name.startsWith(start) && attributeOf(span, 'gen_ai.conversation.id') === threadId,
    );
  await expect.poll(() => named('chat ')).toBeDefined();
  expect(attributeOf(named('chat '), 'gen_ai.usage.output_tokens')).toBeGreaterThan(0);
  expect(named('invoke_agent lead_agent')).toBeDefined();
  expect(attributeOf(named('invoke_agent'), 'gen_ai.input.messages')).toContain('who are you?');
  expect(attributeOf(named('invoke_agent'), 'gen_ai.output.messages')).toContain('assistant');
  // This gateway has the recipe for Langfuse.
  expect(receiver.headOf(threadId)).toEqual({
    path: '/api/public/otel/v1/traces',
    authorization: `Basic ${Buffer.from('pk-lf-1:sk-lf-2').toString('base64')}`,
  });
});

it('the recipe for Phoenix sends spans to its documented path without a header', async () => {
  const { endpoint, headers, genai, content } = await recipeFor('Phoenix');
  expect([headers, genai, content]).toEqual([null, true, true]);
  const log = { info: () => undefined, warn: () => undefined };
  const traces = await Traces.open(
    { endpoint: endpoint ?? '', headers: {}, genai, content, version: '0' },
    log,
  );
  const place = { traceId: 'b8'.repeat(16), parentId: null };
  const times = { startMs: 1, endMs: 2, attributes: {}, failed: false };
  traces.emit({ name: 'chat', spanId: spanIdOf('chat'), place, ...times });
  await traces.close();
  await expect.poll(() => receiver.of(place.traceId)).toHaveLength(1);
  expect(receiver.headOf(place.traceId)).toEqual({ path: '/v1/traces', authorization: undefined });
});

it.each(['busy', 'never'] as const)(
  'a receiver that is %s costs spans alone: the queue is bounded, and the log says it once',
  async (answer) => {
    const told: string[] = [];
    const note = (_facts: object, message: string) => void told.push(message);
    const traces = await Traces.open(
      { endpoint: await address, headers: {}, genai: false, content: false, version: '0' },
      { info: note, warn: note },
      { waitingSpans: 1_000, exportMs: 50, closeMs: 50 },
    );
    receiver.answer = answer;
    const traceId = (answer === 'busy' ? 'e5' : 'f6').repeat(16);
    const place = { traceId, parentId: null };
    const times = { startMs: 1, endMs: 2, attributes: {}, failed: false };
    for (let index = 0; index < 5_000; index += 1)
      traces.emit({ name: 'lost', spanId: spanIdOf(`${index}`), place, ...times });
    await expect.poll(() => told).toEqual([expect.stringContaining('takes no spans')]);
    expect(receiver.refused).toBeGreaterThan(0);
    receiver.answer = 'ok';
    await expect
      .poll(() => {
        traces.emit({ name: 'kept', spanId: spanIdOf('kept'), place, ...times });
        return told.at(-1);
      })
      .toContain('takes spans again');
    expect(receiver.of(traceId).filter(({ name }) => name === 'lost').length).toBeLessThanOrEqual(1_000);
    receiver.answer = answer;
    traces.emit({ name: 'left', spanId: spanIdOf('left'), place, ...times });
    await traces.close();
    receiver.answer = 'ok';
  },
);
