import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpCallers } from '../../packages/server/test/support/mcp-callers.ts';

const folder = temporaryFolder();
const nodeClasses = ['EmptyImage', 'ImageCompositeMasked', 'ImageScale', 'ImageInvert', 'SaveImage'];
let worker: FakeWorker;
let gateway: SpawnedGateway;
let session: HttpSession;

beforeAll(async () => {
  worker = await FakeWorker.start({ nodeClasses, outputBytes: 64, runMs: 1_500 });
  const address = `127.0.0.1:${worker.port}`;
  writeFileSync(join(folder.path, 'switchyard.yaml'), `version: 1\ndispatch:\n  workers: ["${address}"]\n`);
  gateway = await SpawnedGateway.start({ home: folder.path });
  session = await HttpSession.register(gateway.url, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
});

afterAll(async () => {
  await gateway.stop();
  await worker.close();
  folder.remove();
});

type Run = { run_id: string; status: string };
type Tasks = { data: { items: { conversation: { runId: string } | null }[] } };

describe('a gateway that is killed while an agent runs a workflow', () => {
  // While the model streams, around the tool call, and while the worker executes the task.
  it.each([
    ['shortly after the start', async () => sleep(80)],
    ['about when the tool is called', async () => sleep(300)],
    ['while the worker is at it', async () => until(() => worker.stats.accepted > worker.stats.finished)],
  ])('%s, goes on with it and runs it once', async (_when, moment) => {
    const before = worker.stats.accepted;
    const { thread_id: thread } = await session.post<{ thread_id: string }>('/api/threads', {});
    const { run_id: runId } = await session.post<Run>(`/api/threads/${thread}/runs`, {
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: 'invert a picture' }] },
    });
    await moment();
    await gateway.kill9();
    gateway = await SpawnedGateway.start({ home: folder.path });
    session = session.at(gateway.url);

    await until(async () => {
      const { status } = await session.get<Run>(`/api/threads/${thread}/runs/${runId}`);
      return status !== 'pending' && status !== 'running';
    });
    expect(await session.get(`/api/threads/${thread}/runs/${runId}`)).toMatchObject({ status: 'success' });
    const { values } = await session.get<{ values: { messages: { type: string; content: string }[] } }>(
      `/api/threads/${thread}/state`,
    );
    expect(values.messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(values.messages.at(-1)?.content).toContain('Done. Task');
    const { data } = await session.get<Tasks>('/api/tasks');
    expect(data.items.filter(({ conversation }) => conversation?.runId === runId)).toHaveLength(1);
    expect(worker.stats.accepted - before).toBe(1);
  });
});

describe('a gateway that is killed while MCP clients follow tasks', () => {
  it('has the task of a workflow and that of an agent, each done once', async () => {
    const workflow = {
      '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
      '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'mcp' } },
    };
    await session.post('/api/workflows', { name: 'Ground', workflow, exposed: true });
    let caller = await McpCallers.of(gateway.url, session);
    const before = worker.stats.accepted;
    const begin = async (name: string, args: object) => {
      const { body } = await caller.request('tools/call', { name, arguments: args }, { withTasks: true });
      return body.result.taskId as string;
    };
    const ids = [
      await begin('workflow_ground', {}),
      await begin('ask_lead_agent', { message: 'invert a picture' }),
    ];
    await until(() => worker.stats.accepted > before);
    await gateway.kill9();
    gateway = await SpawnedGateway.start({ home: folder.path });
    session = session.at(gateway.url);
    caller = caller.at(gateway.url);
    for (const taskId of ids) {
      const read = async () => (await caller.request('tasks/get', { taskId })).body.result;
      await until(async () => (await read()).status !== 'working');
      expect(await read()).toMatchObject({
        status: 'completed',
        result: { structuredContent: { status: 'completed' } },
      });
    }
    expect(worker.stats.accepted - before).toBe(2);
  });
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
