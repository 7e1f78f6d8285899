import type { RunSpan, RunTimeline } from '@switchyard/contract/conversation/timeline';
import type { TaskTimeline } from '@switchyard/contract/dispatch/timeline';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { watchful } from './support/dispatch-pool.ts';

const nodeClasses = ['EmptyImage', 'ImageCompositeMasked', 'ImageScale', 'ImageInvert', 'SaveImage'];

let gateway: DevGateway;
let worker: FakeWorker;
let admin: DispatchCaller;
let ada: ConversationCaller;
let bob: ConversationCaller;
let adaInDispatch: DispatchCaller;
let bobInDispatch: DispatchCaller;

beforeEach(async () => {
  gateway = await startGateway({
    executionTimeouts: watchful,
    config: { conversation: { workflow_price_per_hour: 3600, workflow_price_currency: 'EUR' } },
  });
  worker = await FakeWorker.start({ nodeClasses, outputBytes: 64 });
  admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'));
  bob = await ConversationCaller.of(gateway.url, await gateway.register('bob@example.com'));
  adaInDispatch = await DispatchCaller.login(gateway.url, 'ada@example.com');
  bobInDispatch = await DispatchCaller.login(gateway.url, 'bob@example.com');
});

afterEach(async () => {
  await gateway.stop();
  await worker.close();
});

interface MadePicture {
  thread: string;
  runId: string;
  path: string;
}

/** A turn of the demo model that makes a picture. */
async function makePicture(): Promise<MadePicture> {
  const thread = await ada.thread();
  const { run_id: runId } = await ada.run(thread, {
    assistant_id: 'lead_agent',
    input: says('invert a picture'),
  });
  await ada.ended(thread, runId);
  return { thread, runId, path: `/threads/${thread}/runs/${runId}/timeline` };
}

describe('the timeline of a run', () => {
  it('has its model calls, its tool call, and the task with its wait, attempt and nodes, as the rows say', async () => {
    const { thread, runId, path } = await makePicture();
    const timeline: RunTimeline = await ada.ok('GET', path);
    const { spans } = timeline;
    const [task] = (await adaInDispatch.call('GET', '/api/tasks')).data.items;
    const { attempts } = (await adaInDispatch.call('GET', `/api/tasks/${task.id}`)).data;
    const run = await ada.ok('GET', `/threads/${thread}/runs/${runId}`);

    expect(timeline).toMatchObject({ run_id: runId, next_cursor: null, live: false });
    expect(treeOf(spans)).toEqual([
      'run lead_agent',
      '  queue',
      '  model switchyard-demo',
      '  tool run_workflow',
      '    task Invert a sample picture',
      '      queue',
      '      attempt 1',
      ...Array(nodesOf(spans).length).fill('        node'),
      '  model switchyard-demo',
    ]);
    expect(nodesOf(spans).length).toBeGreaterThan(0);
    const of = (kind: string): RunSpan => spans.find((span) => span.kind === kind) as RunSpan;
    expect(of('run')).toMatchObject({ start: run.created_at, end: run.ended_at, state: 'success' });
    expect(of('task')).toMatchObject({
      start: task.createdAt,
      end: task.finishedAt,
      state: 'success',
      currency: 'EUR',
      links: { task_id: task.id, tool_call_id: task.conversation.toolCallId },
    });
    expect(of('attempt')).toMatchObject({
      start: attempts[0].startedAt,
      end: attempts[0].endedAt,
      links: { task_id: task.id, instance_id: attempts[0].instanceId },
    });
    const seconds = (Date.parse(attempts[0].endedAt) - Date.parse(attempts[0].acceptedAt)) / 1000;
    expect([of('task').worker_seconds, of('task').cost]).toEqual([seconds, seconds]);
    await expectEventsAgree(thread, runId, spans);
    for (const span of spans) expectInside(span, spans);
  });

  it('says which models are simulated and what they used, and leaves blank what has no price', async () => {
    const { path } = await makePicture();
    const { spans }: RunTimeline = await ada.ok('GET', path);
    const models = spans.filter(({ kind }) => kind === 'model');
    expect(models).toHaveLength(2);
    for (const model of models) {
      expect(model).toMatchObject({ simulated: true, cost: null, currency: null, tokens: { calls: 1 } });
      expect(model.tokens?.total).toBeGreaterThan(0);
    }
    const [run] = spans.filter(({ kind }) => kind === 'run');
    expect(run?.tokens?.total).toBe(models.reduce((sum, { tokens }) => sum + (tokens?.total ?? 0), 0));
  });

  it('comes in pages that together are the whole, each span once and in order', async () => {
    const { path } = await makePicture();
    const { spans: whole }: RunTimeline = await ada.ok('GET', `${path}?limit=1000`);
    const paged: RunSpan[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: RunTimeline = await ada.ok('GET', `${path}?limit=2${query}`);
      paged.push(...page.spans);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(whole);
    const starts = whole.map(({ start }) => start);
    expect(starts).toEqual([...starts].sort());
  });

  it('can be followed: what goes on has no end, and a mark leads to what has changed since', async () => {
    worker.behaviour.runMs = 60_000;
    const thread = await ada.thread();
    const { run_id: runId } = await ada.run(thread, {
      assistant_id: 'lead_agent',
      input: says('invert a picture'),
    });
    const path = `/threads/${thread}/runs/${runId}/timeline`;
    const isAtWork = ({ spans }: RunTimeline): boolean =>
      spans.some(({ kind, state }) => kind === 'attempt' && state === 'running');
    const before = await ada.until(() => ada.ok('GET', path), isAtWork);
    const open = before.spans.filter(({ end }: RunSpan) => end === null);
    expect(before.live).toBe(true);
    expect(open.map(({ kind }: RunSpan) => kind)).toEqual(
      expect.arrayContaining(['run', 'tool', 'task', 'attempt']),
    );
    await ada.ok('POST', `/threads/${thread}/runs/${runId}/cancel?wait=1`);
    const [{ id: taskId }] = (await adaInDispatch.call('GET', '/api/tasks')).data.items;
    await adaInDispatch.ended(taskId);
    const after: RunTimeline = await ada.ok('GET', `${path}?since=${before.mark}`);
    expect(after.live).toBe(false);
    expect(after.spans.filter(({ kind }) => kind === 'model')).toEqual([]);
    const known = new Map(before.spans.map((span: RunSpan) => [span.id, span]));
    for (const span of after.spans) known.set(span.id, span);
    const whole: RunTimeline = await ada.ok('GET', path);
    expect([...known.values()].sort(byPlace)).toEqual(whole.spans);
    expect(whole.spans.filter(({ end }) => end === null)).toEqual([]);
    const state = (kind: string) => whole.spans.find((span) => span.kind === kind)?.state;
    expect([state('run'), state('task'), state('attempt')]).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('answers on the Platform mount as well', async () => {
    const { thread, runId, path } = await makePicture();
    const own = (await ada.ok('GET', path)).spans;
    const there = await ada.ok('GET', `/langgraph/threads/${thread}/runs/${runId}/timeline`);
    expect(there.spans).toEqual(own);
  });

  it('is hidden from other users, and unknown for runs that do not exist', async () => {
    const { thread, path } = await makePicture();
    expect((await bob.get(path)).status).toBe(404);
    expect((await ada.get(`/threads/${thread}/runs/none/timeline`)).status).toBe(404);
    const others = await ada.thread();
    expect((await ada.get(path.replace(thread, others))).status).toBe(404);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'cursor=x',
    'since=x',
    `cursor=${Buffer.from('["2030-01-01T00:00:00.000Z","\\u0000"]').toString('base64url')}`,
    'sinse=1',
  ])('refuses %s', async (query) => {
    const thread = await ada.thread();
    const { status, body } = await ada.get(`/threads/${thread}/runs/none/timeline?${query}`);
    expect([status, body.detail[0].loc]).toEqual([422, ['query', query.split('=')[0]]]);
  });
});

describe('the timeline of a task', () => {
  it('is the same as in its run, and open to its owner and administrators alone', async () => {
    const { path } = await makePicture();
    const [{ id }] = (await adaInDispatch.call('GET', '/api/tasks')).data.items;
    const { data }: { data: TaskTimeline } = await adaInDispatch.call('GET', `/api/tasks/${id}/timeline`);
    const { spans }: RunTimeline = await ada.ok('GET', path);
    const ofTask = spans.filter(({ links, kind }) => links.task_id === id && kind !== 'tool');

    expect(data.spans.map((span) => [span.id, span.start, span.end])).toEqual(
      ofTask.map((span) => [span.id, span.start, span.end]),
    );
    expect(data).toMatchObject({ taskId: id, live: false, nextCursor: null });
    expect(data.spans[0]).toMatchObject({ kind: 'task', parentId: null, currency: 'EUR' });
    const asAdmin = await admin.call('GET', `/api/tasks/${id}/timeline`);
    expect(asAdmin.data.spans).toEqual(data.spans);
    const foreign = await bobInDispatch.request('GET', `/api/tasks/${id}/timeline`);
    expect(foreign.status).toBe(404);
  });

  it('comes in pages, and shows since a mark only what has changed', async () => {
    await makePicture();
    const [{ id }] = (await adaInDispatch.call('GET', '/api/tasks')).data.items;
    const path = `/api/tasks/${id}/timeline`;
    const { spans, mark } = (await adaInDispatch.call('GET', path)).data;
    const first = (await adaInDispatch.call('GET', `${path}?limit=2`)).data;
    const second = (await adaInDispatch.call('GET', `${path}?limit=1000&cursor=${first.nextCursor}`)).data;
    expect([...first.spans, ...second.spans]).toEqual(spans);
    const later = Buffer.from(JSON.stringify([0, Date.now() + 3_600_000])).toString('base64url');
    expect((await adaInDispatch.call('GET', `${path}?since=${later}`)).data.spans).toEqual([]);
    expect((await adaInDispatch.call('GET', `${path}?since=${mark}`)).data.live).toBe(false);
  });
});

function byPlace(one: RunSpan, other: RunSpan): number {
  if (one.start !== other.start) return one.start < other.start ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

function nodesOf(spans: readonly RunSpan[]): RunSpan[] {
  return spans.filter(({ kind }) => kind === 'node');
}

/** Each span as a line below its parent. The names of nodes and instances are left out. */
function treeOf(spans: readonly RunSpan[], parent: string | null = null, indent = ''): string[] {
  return spans
    .filter(({ parent_id }) => parent_id === parent)
    .flatMap((span) => [
      `${indent}${[span.kind, span.kind === 'attempt' ? span.attempt : span.kind === 'node' ? '' : (span.name ?? '')].join(' ').trim()}`,
      ...treeOf(spans, span.id, `${indent}  `),
    ]);
}

/** Begins and ends of models and tools agree with the stored events of the run within 50 ms. */
async function expectEventsAgree(thread: string, runId: string, spans: readonly RunSpan[]): Promise<void> {
  const events: { event_type: string; created_at: string }[] = await ada.ok(
    'GET',
    `/threads/${thread}/runs/${runId}/events`,
  );
  const times = (type: string): number[] =>
    events.filter(({ event_type }) => event_type === type).map(({ created_at }) => Date.parse(created_at));
  const expected = { model: ['llm_request', 'llm_response'], tool: ['tool_start', 'tool_end'] } as const;
  for (const [kind, [begin, end]] of Object.entries(expected)) {
    const own = spans.filter((span) => span.kind === kind);
    expect(own.map(({ start }) => Date.parse(start))).toEqual(times(begin).map(near));
    expect(own.map(({ end: at }) => Date.parse(at ?? ''))).toEqual(times(end).map(near));
  }
}

/** Less than 50 ms away. */
function near(ms: number): unknown {
  return expect.closeTo(ms, -2);
}

function expectInside(span: RunSpan, spans: readonly RunSpan[]): void {
  const parent = spans.find(({ id }) => id === span.parent_id);
  expect(parent === undefined, span.kind).toBe(span.kind === 'run');
  if (parent) expect(span.start >= parent.start, `${span.kind} begins in its ${parent.kind}`).toBe(true);
}
