import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';

const home = temporaryFolder();
const workers: FakeWorker[] = [];
let provider: FakeOpenAi;
let gateway: SpawnedGateway;

beforeAll(async () => {
  for (const _ of [1, 2]) {
    workers.push(await FakeWorker.start({ nodeClasses: ['EmptyImage', 'SaveImage'], outputBytes: 64 }));
  }
  provider = await startFakeOpenAi(answer);
  const addresses = workers.map(({ port }) => `"127.0.0.1:${port}"`).join(', ');
  const model = `  fake: { base_url: "${provider.url}", api_key: sk-1, model: fake-1 }`;
  const config = `version: 1\ndispatch:\n  workers: [${addresses}]\nmodels:\n${model}\n`;
  writeFileSync(join(home.path, 'switchyard.yaml'), config);
  gateway = await SpawnedGateway.start({ home: home.path });
});

afterAll(async () => {
  await gateway?.stop();
  await provider?.close();
  for (const worker of workers) await worker.close();
  home.remove();
});

it('kill -9 while sub-agents wait for the pool: each continues where it was, and nothing runs twice', async () => {
  for (const { behaviour } of workers) behaviour.runMs = 3_600_000;
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  let session = await HttpSession.register(gateway.url, account);
  const { thread_id: thread } = await session.post<{ thread_id: string }>('/api/threads', {});
  const { run_id: runId } = await session.post<{ run_id: string }>(`/api/threads/${thread}/runs`, {
    input: { messages: [{ role: 'user', content: 'Paint two' }] },
    context: { subagent_enabled: true },
  });
  await until(() => accepted() === 2);
  await gateway.kill9();
  const askedBefore = provider.requests.filter(isSubagent).length;
  gateway = await SpawnedGateway.start({ home: home.path });
  session = session.at(gateway.url);
  for (const worker of workers) worker.finishRun();
  const path = `/api/threads/${thread}/runs/${runId}`;
  await until(async () => {
    const { status } = await session.get<{ status: string }>(path);
    return status !== 'pending' && status !== 'running';
  });

  expect(await session.get(path)).toMatchObject({ status: 'success' });
  // One call before the pool for each, and one after it.
  expect(askedBefore).toBe(2);
  expect(provider.requests.filter(isSubagent)).toHaveLength(4);
  expect(accepted()).toBe(2);
  const { values } = await session.get<{ values: Values }>(`/api/threads/${thread}/state`);
  expect(values.messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'tool', 'ai']);
  expect(values.messages.slice(2, 4).map(({ content }) => content)).toEqual([
    'Task Succeeded. Result: Painted.',
    'Task Succeeded. Result: Painted.',
  ]);
  expect(new Set(values.artifacts).size).toBe(2);
  const types = (await session.get<{ event_type: string }[]>(`${path}/events?limit=500`)).map(
    ({ event_type: type }) => type,
  );
  const often = (wanted: string): number => types.filter((type) => type === wanted).length;
  expect(often('worker_task_submitted')).toBe(2);
  expect(often('worker_task_completed')).toBe(2);
  expect(often('task_completed')).toBe(2);
  expect(often('tool_result')).toBe(2);
});

interface Values {
  messages: { type: string; content: string }[];
  artifacts: string[];
}

/** Both sub-agents choose the same id for their call. */
function answer({ messages, tools }: FakeRequest): FakeReply {
  if (tools.length === 0) return { text: 'Two pictures' };
  const isAfterTool = messages.at(-1).role === 'tool';
  if (isSubagent({ messages })) {
    const call = { id: 'call_1', name: 'run_workflow', args: { workflow } };
    return isAfterTool ? { text: 'Painted.' } : { calls: [call] };
  }
  const args = { description: 'Paint', prompt: 'Paint one', subagent_type: 'general-purpose' };
  const calls = ['call_a', 'call_b'].map((id) => ({ id, name: 'task', args }));
  return isAfterTool ? { text: 'Both are there.' } : { calls };
}

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'two' } },
};

function isSubagent({ messages }: Pick<FakeRequest, 'messages'>): boolean {
  return JSON.stringify(messages[0]?.content).includes('You are a sub-agent');
}

function accepted(): number {
  return workers.reduce((sum, { stats }) => sum + stats.accepted, 0);
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5);
}
