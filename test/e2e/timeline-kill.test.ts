import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSpan, RunTimeline } from '@switchyard/contract/conversation/timeline';
import { runBinary } from '@switchyard/dev-env/binary';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

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

interface Task {
  id: string;
  createdAt: string;
  finishedAt: string;
  attempts: { attempt: number; startedAt: string; endedAt: string }[];
}

describe('the timeline of a run whose gateway is killed while a worker draws', () => {
  it('is whole: what was at work, what was repeated, and the task with its attempt and nodes', async () => {
    const { thread_id: thread } = await session.post<{ thread_id: string }>('/api/threads', {});
    const { run_id: runId } = await session.post<{ run_id: string }>(`/api/threads/${thread}/runs`, {
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: 'invert a picture' }] },
    });
    await until(() => worker.stats.accepted > worker.stats.finished);
    await gateway.kill9();
    gateway = await SpawnedGateway.start({ home: folder.path });
    session = session.at(gateway.url);
    const path = `/api/threads/${thread}/runs/${runId}`;
    await until(async () => (await session.get<{ status: string }>(path)).status === 'success');

    const timeline = await session.get<RunTimeline>(`${path}/timeline?limit=1000`);
    const { spans } = timeline;
    expect(timeline).toMatchObject({ live: false, next_cursor: null });
    expect(spans.filter(({ end }) => end === null)).toEqual([]);
    const own = spans.filter(({ kind }) => kind === 'model' || kind === 'tool');
    expect(own.map(({ kind, attempt, state }) => [kind, attempt, state])).toEqual([
      ['model', 1, 'success'],
      ['tool', 1, 'interrupted'],
      ['tool', 2, 'success'],
      ['model', 2, 'success'],
    ]);
    const [task, ...others] = spans.filter(({ kind }) => kind === 'task');
    expect(others).toEqual([]);
    expect(task?.parent_id, 'the call that began the task').toBe(own[1]?.id);
    await expectRowsAgree(spans, task as RunSpan);
    expect(spans.some(({ kind }) => kind === 'node')).toBe(true);
    for (const span of spans) {
      const parent = spans.find(({ id }) => id === span.parent_id);
      expect(parent === undefined, span.id).toBe(span.kind === 'run');
      if (parent) expect(Date.parse(parent.start)).toBeLessThanOrEqual(Date.parse(span.start));
    }

    const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
      name: 'cli',
      scopes: ['conversation:read', 'dispatch:read'],
    });
    const ofRun = await cli(['runs', 'timeline', thread, runId], token);
    expect(ofRun).toMatch(/^run lead_agent .*success/m);
    expect(ofRun).toMatch(/^ {2}tool run_workflow .*interrupted$/m);
    expect(ofRun).toMatch(/^ {4}task Invert a sample picture +[█·]+ +[\d.]+ s {2}success/m);
    const ofTask = await cli(['tasks', 'timeline', task?.links.task_id ?? '', '-o', 'json'], token);
    const kinds = JSON.parse(ofTask).spans.map(({ kind }: { kind: string }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['task', 'queue', 'attempt']);
  });
});

/** Tasks and attempts of the timeline have the times of their rows, within 50 ms. */
async function expectRowsAgree(spans: readonly RunSpan[], task: RunSpan): Promise<void> {
  const { data } = await session.get<{ data: Task }>(`/api/tasks/${task.links.task_id}`);
  expectTimes(task, data.createdAt, data.finishedAt);
  for (const { attempt, startedAt, endedAt } of data.attempts) {
    const span = spans.find((each) => each.kind === 'attempt' && each.attempt === attempt);
    expectTimes(span as RunSpan, startedAt, endedAt);
  }
}

function expectTimes({ start, end }: RunSpan, startedAt: string, endedAt: string): void {
  expect(Math.abs(Date.parse(start) - Date.parse(startedAt))).toBeLessThanOrEqual(50);
  expect(Math.abs(Date.parse(end ?? '') - Date.parse(endedAt))).toBeLessThanOrEqual(50);
}

async function cli(args: string[], token: string): Promise<string> {
  const env = { SWITCHYARD_URL: gateway.url, SWITCHYARD_TOKEN: token };
  const { child, exited } = runBinary({ args, env, cwd: folder.path });
  let stdout = '';
  child.stdout?.on('data', (text: string) => {
    stdout += text;
  });
  child.stdin?.end();
  expect((await exited).code, stdout).toBe(0);
  return stdout;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}
