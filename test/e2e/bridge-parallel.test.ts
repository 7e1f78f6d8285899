import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeOpenAi, type FakeReply, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf, framesIn, sendAsPage, uploadAsPage, type WireData } from './page-of-session.ts';

/** A model of a provider, as its protocol streams it, that calls three workflows at once: one fails, one is cancelled. */

const home = temporaryFolder();
const cat = '/mnt/user-data/uploads/cat.png';
const calls = [
  call('call_good', 'good', 'ImageInvert', {}),
  // Wider than the picture, which only the worker notices.
  call('call_bad', 'bad', 'ImageBlur', { blur_radius: 31, sigma: 1 }),
  call('call_slow', 'slow', 'ImageRotate', { rotation: '90 degrees' }),
];
let workers: Awaited<ReturnType<typeof startReferenceWorker>>[] = [];
let provider: FakeOpenAi;
let gateway: SpawnedGateway;
let session: HttpSession;

beforeAll(async () => {
  workers = await Promise.all([1, 2, 3].map(() => startReferenceWorker()));
  provider = await startFakeOpenAi(({ messages, tools }) => answerTo(messages, tools));
  const addresses = workers.map(({ port }) => `"127.0.0.1:${port}"`).join(', ');
  writeFileSync(
    join(home.path, 'switchyard.yaml'),
    [
      'version: 1',
      `dispatch:\n  workers: [${addresses}]`,
      `models:\n  fake:\n    model: gpt-fake\n    base_url: ${provider.url}\n    api_key: sk-fake`,
    ].join('\n'),
  );
  gateway = await SpawnedGateway.start({ home: home.path });
  session = await HttpSession.register(gateway.url, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
});

afterAll(async () => {
  await gateway?.stop();
  await provider?.close();
  for (const worker of workers) await worker.close();
  home.remove();
});

it('continues after one of three tasks has failed and one was cancelled by its id, and reports both', async () => {
  for (const { faults } of workers) faults.set({ holdNodes: true });
  const { thread_id: thread } = await session.post<{ thread_id: string }>('/api/threads', {});
  const create = { width: 24, height: 16, channels: 3, background: '#c86428' } as const;
  const page = { url: gateway.url, session };
  await uploadAsPage(page, thread, { name: 'cat.png', bytes: await sharp({ create }).png().toBuffer() });
  const { run_id: runId } = await session.post<{ run_id: string }>(`/api/threads/${thread}/runs`, {
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content: 'three variants of my cat, please' }] },
    stream_mode: ['values', 'custom', 'messages-tuple'],
  });

  const running = await untilRunning(3);
  expect(new Set(running.map(({ instanceId }) => instanceId)).size).toBe(3);
  const slow = running.find(({ name }) => name === 'slow');
  await sendAsPage(page, `/api/tasks/${slow?.id}`, { method: 'DELETE' });
  for (const { faults } of workers) faults.set({ holdNodes: false });
  const stream = await sendAsPage(page, `/api/threads/${thread}/runs/${runId}/stream`, {});
  const frames = framesIn(await stream.text());

  const custom = dataOf(frames, 'custom');
  const taskOf = Object.fromEntries(running.map(({ name, id }) => [name, id]));
  expect(endsIn(custom)).toEqual({
    [taskOf.good ?? '']: { type: 'worker_task_completed', call: 'call_good', code: undefined },
    [taskOf.bad ?? '']: { type: 'worker_task_failed', call: 'call_bad', code: 'execution_failed' },
    [taskOf.slow ?? '']: { type: 'worker_task_failed', call: 'call_slow', code: 'cancelled' },
  });
  const { messages, artifacts } = dataOf(frames, 'values').at(-1);
  expect(artifacts).toEqual([expect.stringMatching(/^\/mnt\/user-data\/outputs\/good-/)]);
  const results = messages.filter(({ type }: { type: string }) => type === 'tool');
  expect(results.map((each: WireData) => [each.tool_call_id, each.status])).toEqual([
    ['call_good', 'success'],
    ['call_bad', 'error'],
    ['call_slow', 'error'],
  ]);
  expect(messages.at(-1).content).toBe('1 came out; execution_failed; cancelled.');
  expect(await session.get(`/api/threads/${thread}/runs/${runId}`)).toMatchObject({ status: 'success' });
  await expectRecord(thread, runId);
});

async function expectRecord(thread: string, runId: string): Promise<void> {
  const events = await session.get<WireData[]>(`/api/threads/${thread}/runs/${runId}/events?limit=500`);
  const count = (type: string): number => events.filter(({ event_type: each }) => each === type).length;
  expect({
    calls: count('ai_tool_call'),
    submitted: count('worker_task_submitted'),
    completed: count('worker_task_completed'),
    failed: count('worker_task_failed'),
    results: count('tool_result'),
  }).toEqual({ calls: 1, submitted: 3, completed: 1, failed: 2, results: 3 });
  const { data } = await session.get<{ data: { items: WireData[] } }>('/api/tasks');
  expect(data.items.map(({ conversation }) => conversation.toolCallId).sort()).toEqual([
    'call_bad',
    'call_good',
    'call_slow',
  ]);
  const asked = provider.requests.filter(({ tools }) => tools.length > 0);
  expect(asked).toHaveLength(2);
  expect(asked.every(({ body }) => body.stream === true)).toBe(true);
  expect(asked[1]?.messages.filter(({ role }) => role === 'tool').map((each) => each.tool_call_id)).toEqual([
    'call_good',
    'call_bad',
    'call_slow',
  ]);
}

function call(
  id: string,
  name: string,
  classType: string,
  inputs: object,
): NonNullable<FakeReply['calls']>[0] {
  const workflow = {
    '1': { class_type: 'LoadImage', inputs: { image: cat } },
    '2': { class_type: classType, inputs: { image: ['1', 0], ...inputs } },
    '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: name } },
  };
  return { id, name: 'run_workflow', args: { workflow, name } };
}

/** A model knows the outcome of its calls only from their results. */
function answerTo(messages: WireData[], tools: string[]): FakeReply {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  if (tools.length === 0) return { text: 'Three cats' };
  if (results.length === 0) return { text: 'Three at once.', calls };
  const done = results.filter((text) => text.startsWith('{') && JSON.parse(text).status === 'completed');
  const reasons = results.flatMap((text) => /failed with (\w+)/.exec(text)?.[1] ?? []);
  return { text: `${done.length} came out; ${reasons.join('; ')}.` };
}

function endsIn(custom: WireData[]): Record<string, object> {
  const ends = custom.filter(({ type }) => type !== 'worker_task_progress');
  return Object.fromEntries(
    ends.map(({ type, task_id: id, tool_call_id: callId, error }) => [
      id,
      { type, call: callId, code: error?.code },
    ]),
  );
}

async function untilRunning(wanted: number): Promise<{ id: string; name: string; instanceId: string }[]> {
  for (;;) {
    const { data } = await session.get<{ data: { items: WireData[] } }>('/api/tasks?status=running');
    if (data.items.length === wanted) return data.items;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
