import { testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { InstanceStore } from '../instances/instance-store.ts';
import { prepareTask } from '../intake/task-submission.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { AttemptStore } from '../tasks/attempt-store.ts';
import { TaskStore } from '../tasks/task-store.ts';

const postgres = testPostgres('a replica that was in charge of an instance before, on Postgres');
const at = '2030-01-01T00:00:00.000Z';
const confirm = async (): Promise<void> => undefined;

describe('a replica that was in charge of an instance before, on SQLite', () =>
  behaves(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  behaves(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 2 })),
);

function behaves(where: () => Promise<DatabaseOptions>): void {
  let database: Database<DispatchTables>;
  let instances: InstanceStore;
  let tasks: TaskStore;
  let attempts: AttemptStore;
  let instanceId: string;

  beforeAll(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    database = opened.withTables<DispatchTables>();
    instances = new InstanceStore(database);
    tasks = new TaskStore(database);
    attempts = new AttemptStore(database);
    instanceId = await instances.putBuiltIn({ ip: '127.0.0.1', port: 8188, name: 'Box' }, at);
  });

  afterAll(() => database.close());

  const takeCharge = async (): Promise<number> =>
    (await instances.takeCharge(instanceId, { confirm, nowMs: 5 })) ?? 0;

  const newTask = async (): Promise<string> => {
    const { task } = prepareTask(
      { workflow: { '1': { class_type: 'SaveImage', inputs: {} } } },
      {
        owner: 'ada',
        requestId: null,
        conversation: null,
        savedWorkflow: null,
        idempotency: null,
        nowMs: Date.parse(at),
        fileNames: new Map(),
      },
    );
    await tasks.insert({ user: 'ada' }, task);
    return task.row.id;
  };

  const claim = (taskId: string, token: number) =>
    attempts.claim({
      taskId,
      expectedAttempt: 0,
      instanceId,
      promptId: taskId,
      clientId: 'c',
      token,
      at,
      owner: 'ada',
      pools: '[]',
      workerVersion: null,
      knownPromptId: null,
    });

  /** Returns the state of a task and of its first attempt. */
  const stateOf = async (taskId: string): Promise<string> => {
    const task = await tasks.get({ user: 'ada' }, taskId);
    const attempt = await attempts.get(taskId, 1);
    const accepted = attempt?.acceptedAt === null ? 'none' : 'accepted';
    const nodes = attempt?.nodes ? ', with nodes' : '';
    return `${task?.status}, ${task?.phase} ${task?.progress}%; ${attempt?.state}, ${accepted}${nodes}`;
  };

  it('claims nothing for it any more', async () => {
    const [before, now] = [await takeCharge(), await takeCharge()];
    const taskId = await newTask();
    expect(await claim(taskId, before)).toBe('superseded');
    expect(await claim(taskId, now)).toMatchObject({ id: taskId, claimToken: now });
  });

  it('does not say how it is', async () => {
    const [before, now] = [await takeCharge(), await takeCharge()];
    const [row] = await instances.list();
    if (!row) throw new Error('There is no instance.');
    const idle = { token: now, columns: { ...row, state: 'idle' } } as const;
    const unreachable = { token: before, columns: { ...row, state: 'unreachable' } } as const;
    await instances.changeMany(new Map([[instanceId, idle]]));
    await instances.changeMany(new Map([[instanceId, unreachable]]));
    expect(await instances.get(instanceId)).toMatchObject({ state: 'idle' });
  });

  it('neither marks nor ends a task that the next one has taken over', async () => {
    const before = await takeCharge();
    const taskId = await newTask();
    await claim(taskId, before);
    const now = await takeCharge();
    const late = { taskId, attempt: 1, token: before };
    await attempts.takeOver({ ...late, token: now }, at);
    const change = { phase: 'executing', progress: 50, node: null, updatedAt: at } as const;
    const accepted = { at, startedAt: at };
    const nodes = '{"nodes":[]}';
    await attempts.mark([{ fence: late, change: { ...change, nodes } }]);
    await attempts.mark([{ fence: late, change: { ...change, accepted } }]);
    const [other, current] = [
      { taskId: await newTask(), attempt: 1, token: now },
      { ...late, token: now },
    ];
    await claim(other.taskId, now);
    const states = async () => [await stateOf(late.taskId), await stateOf(other.taskId)];
    const unmarked = 'pending, dispatching 0%; dispatching, none';
    expect(await states()).toEqual([unmarked, unmarked]);
    await attempts.mark([
      { fence: current, change: { ...change, nodes } },
      { fence: other, change: { ...change, progress: 70, accepted } },
    ]);
    expect(await states()).toEqual([
      'pending, executing 50%; dispatching, none, with nodes',
      'running, executing 70%; accepted, accepted',
    ]);
    const end = {
      status: 'completed',
      phase: 'ended',
      progress: 100,
      node: null,
      error: null,
      result: null,
    } as const;
    const rest = {
      warnings: '[]',
      warningSentences: null,
      startedAt: at,
      updatedAt: at,
      finishedAt: at,
      outcome: 'completed',
      acceptedAt: null,
      nodes: null,
      mayHoldFiles: true,
    } as const;
    expect(await attempts.end(late, { ...end, ...rest })).toBe(false);
    expect(await attempts.end(current, { ...end, ...rest })).toBe(true);
    await attempts.mark([{ fence: current, change: { ...change, accepted } }]);
    expect(await stateOf(taskId)).toMatch(/^completed, ended 100%; ended, none/);
  });

  it('takes no charge when it is not the dispatcher', async () => {
    const refused = instances.takeCharge(instanceId, {
      confirm: async () => {
        throw new Error('The lease is lost.');
      },
      nowMs: 5,
    });
    await expect(refused).rejects.toThrow('The lease is lost.');
  });
}
