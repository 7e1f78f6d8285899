import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FakeTrouble } from '@switchyard/dev-env/fake-behaviour';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { DatabaseSync } from '@switchyard/server/platform/database/sqlite/sqlite-library';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

/**
 * A real kill -9 at each point between a tool's call and its result. The gateway has no test hook for this. Files that
 * take a moment to copy, reads of its database and a worker that does not answer make the points wide enough to hit.
 * The content of the disk shows afterwards whether a point was hit. When another process had the processor in that
 * moment, the kill came later. That must do no harm either, and the next kill is aimed at the same point.
 */

const home = temporaryFolder();
/** Takes a while to copy and to hash. */
const largeBytes = 96 * 1024 * 1024;
let worker: FakeWorker;
let gateway: SpawnedGateway;
let session: HttpSession;
let userId: string;

beforeAll(async () => {
  worker = await FakeWorker.start();
  writeConfig();
  gateway = await SpawnedGateway.start({ home: home.path });
  session = await HttpSession.register(gateway.url, {
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
  userId = (await session.get<{ id: string }>('/api/v1/auth/me')).id;
});

beforeEach(() => {
  worker.behaviour = { runMs: 300, outputBytes: 64, outputName: null, trouble: null };
});

afterAll(async () => {
  await gateway.stop();
  await worker.close();
  home.remove();
});

interface StartedRun {
  thread: string;
  runId: string;
  folder: string;
}

/** The state on the disk of a killed gateway. */
interface Left {
  calls: number;
  tasks: number;
  submitted: number;
  accepted: number;
  attempts: string[];
}

describe('kill -9 between the call of a tool and its result loses nothing and runs nothing twice', () => {
  it('after the checkpoint with the call, before the submit', async () => {
    const incoming = () => readdirSync(join(home.path, 'files', 'incoming'));
    await killUntilHit(async () => {
      const before = new Set(incoming());
      const going = await begin({ inputBytes: largeBytes });
      await until(() => incoming().some((name) => !before.has(name)) || tasksOf(going.runId) > 0);
      const left = await killAndLook(going);

      const isHit = left.tasks === 0;
      if (isHit) expect(left).toMatchObject({ calls: 1, tasks: 0, submitted: 0 });
      return { going, isHit };
    });
  });

  it('after the submit, before its record in the run', async () => {
    worker.behaviour.runMs = 2_000;
    await killUntilHit(async () => {
      const going = await begin({});
      await until(() => tasksOf(going.runId) === 1);
      const left = await killAndLook(going);

      expect(left).toMatchObject({ calls: 1, tasks: 1 });
      return { going, isHit: left.submitted === 0 };
    });
  });

  it('after the worker has accepted it, before the gateway knows', async () => {
    worker.behaviour = { ...worker.behaviour, runMs: 2_000, trouble: 'silent_prompt' satisfies FakeTrouble };
    const before = worker.stats.accepted;
    const going = await begin({});
    await until(() => worker.stats.accepted > before);
    const left = await killAndLook(going);
    worker.behaviour.trouble = null;

    expect(left).toMatchObject({ calls: 1, tasks: 1, attempts: ['dispatching'] });
    await expectOneOfEach(going);
  });

  it('while the picture is put among the artifacts', async () => {
    worker.behaviour.outputBytes = largeBytes;
    await killUntilHit(async () => {
      const going = await begin({});
      const outputs = join(going.folder, 'outputs');
      await until(() => existsSync(outputs) && readdirSync(outputs).length > 0);
      const left = await killAndLook(going);

      expect(left).toMatchObject({ calls: 1, tasks: 1 });
      const names = readdirSync(outputs);
      return { going, isHit: names.length > 0 && names.every((name) => name.endsWith('.part')) };
    });
  });

  it('stops the task of a run that is not taken up again', async () => {
    worker.behaviour.runMs = 120_000;
    const going = await begin({});
    await until(() => worker.stats.accepted > accepted);
    await gateway.kill9();
    writeConfig('conversation:\n  on_recovery: fail\n');
    await restart();

    expect(await ended(going)).toMatchObject({ status: 'error' });
    const { data } = await session.get<{ data: { items: TaskView[] } }>('/api/tasks');
    const [task] = data.items.filter(({ conversation }) => conversation?.runId === going.runId);
    await until(async () => (await taskOf(task?.id)).status === 'failed');
    expect(await taskOf(task?.id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
  });

  /** Asks for a picture of the thread; its file is put where an upload would be. */
  async function begin({ inputBytes = 1_000 }: { inputBytes?: number }): Promise<StartedRun> {
    accepted = worker.stats.accepted;
    const { thread_id: thread } = await session.post<{ thread_id: string }>('/api/threads', {});
    const folder = join(home.path, 'users', userId, 'threads', thread, 'user-data');
    mkdirSync(join(folder, 'uploads'), { recursive: true });
    const picture = join(folder, 'uploads', 'cat.png');
    // Never the same content twice, because the gateway would have it already.
    writeFileSync(picture, thread);
    truncateSync(picture, inputBytes);
    const { run_id: runId } = await session.post<{ run_id: string }>(`/api/threads/${thread}/runs`, {
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: 'invert cat.png' }] },
    });
    return { thread, runId, folder };
  }

  async function killUntilHit(kill: () => Promise<{ going: StartedRun; isHit: boolean }>): Promise<void> {
    for (;;) {
      const { going, isHit } = await kill();
      await expectOneOfEach(going);
      if (isHit) return;
    }
  }

  async function killAndLook({ runId }: StartedRun): Promise<Left> {
    await gateway.kill9();
    const database = openDatabase();
    const count = (sql: string): number => (database.prepare(sql).get(runId) as { count: number }).count;
    const ofRun = `json_extract(conversation, '$.runId') = ?`;
    const events = 'select count(*) as count from run_events where run_id = ? and event_type =';
    const left = {
      calls: count(`${events} 'ai_tool_call'`),
      submitted: count(`${events} 'worker_task_submitted'`),
      tasks: count(`select count(*) as count from tasks where ${ofRun}`),
      accepted: worker.stats.accepted - accepted,
      attempts: (
        database.prepare(`select phase from tasks where ${ofRun}`).all(runId) as { phase: string }[]
      ).map(({ phase }) => phase),
    };
    database.close();
    return left;
  }

  /** The next process finishes the run: with one task that ran once, and its picture stored once. */
  async function expectOneOfEach({ thread, runId, folder }: StartedRun): Promise<void> {
    await restart();
    expect(await ended({ thread, runId })).toMatchObject({ status: 'success' });
    const { values } = await session.get<{ values: { messages: Message[]; artifacts: string[] } }>(
      `/api/threads/${thread}/state`,
    );
    expect(values.messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(values.messages.at(-1)?.content).toContain('made 1 file');
    expect(values.artifacts).toHaveLength(1);
    const pictures = readdirSync(join(folder, 'outputs')).filter((name) => name.endsWith('.png'));
    expect(values.artifacts).toEqual(pictures.map((name) => `/mnt/user-data/outputs/${name}`));
    const bytes = readFileSync(join(folder, 'outputs', pictures[0] ?? ''));
    expect(bytes.length).toBe(worker.behaviour.outputBytes);
    const types = (
      await session.get<{ event_type: string }[]>(`/api/threads/${thread}/runs/${runId}/events?limit=500`)
    ).map(({ event_type: type }) => type);
    for (const once of ['ai_tool_call', 'worker_task_submitted', 'worker_task_completed', 'tool_result'])
      expect(
        types.filter((type) => type === once),
        once,
      ).toHaveLength(1);
    expect(tasksOf(runId)).toBe(1);
    expect(worker.stats.accepted - accepted).toBe(1);
  }
});

interface TaskView {
  id: string;
  status: string;
  conversation: { runId: string } | null;
}

async function taskOf(taskId = ''): Promise<TaskView> {
  return (await session.get<{ data: TaskView }>(`/api/tasks/${taskId}`)).data;
}

async function ended({ thread, runId }: Pick<StartedRun, 'thread' | 'runId'>): Promise<{ status: string }> {
  const read = () => session.get<{ status: string }>(`/api/threads/${thread}/runs/${runId}`);
  await until(async () => !['pending', 'running'].includes((await read()).status));
  return read();
}

async function restart(): Promise<void> {
  gateway = await SpawnedGateway.start({ home: home.path });
  session = session.at(gateway.url);
}

function writeConfig(more = ''): void {
  const address = `127.0.0.1:${worker.port}`;
  const text = `version: 1\ndispatch:\n  workers: ["${address}"]\n${more}`;
  writeFileSync(join(home.path, 'switchyard.yaml'), text);
}

interface Message {
  type: string;
  content: string;
}

let accepted = 0;

function tasksOf(runId: string): number {
  const database = openDatabase();
  try {
    const sql = `select count(*) as count from tasks where json_extract(conversation, '$.runId') = ?`;
    return (database.prepare(sql).get(runId) as { count: number }).count;
  } finally {
    database.close();
  }
}

function openDatabase() {
  return new DatabaseSync(join(home.path, 'data', 'switchyard.db'), { readOnly: true });
}

/** Asks as often as possible, because the moment may be short. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let asked = 0; !(await isSo()); asked += 1) await (asked % 50 === 0 ? sleep(1) : nextTurn());
}
