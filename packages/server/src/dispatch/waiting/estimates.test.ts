import { testPostgres } from '@switchyard/dev-env/postgres';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { TaskDurationStore } from '../tasks/task-duration-store.ts';
import { Estimates } from './estimates.ts';

const postgres = testPostgres('durations of tasks on Postgres');

describe('durations of tasks on SQLite', () => durationsAreRead(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  durationsAreRead(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

function durationsAreRead(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let tables: Database<DispatchTables>;
  let made = 0;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    tables = opened.withTables<DispatchTables>();
    for (const seconds of [1, 2, 3, 4, 5]) await insert({ fingerprint: 'g.', instanceId: 'fast', seconds });
    for (const seconds of [100, 200, 300, 400])
      await insert({ fingerprint: 'g.', instanceId: 'slow', seconds });
    await insert({ fingerprint: 'g.', instanceId: 'slow', seconds: 900, status: 'failed' });
    await insert({ fingerprint: 'other.', instanceId: 'slow', seconds: 500 });
  });

  afterAll(() => opened.close());

  async function insert(task: {
    fingerprint: string;
    instanceId: string;
    seconds: number;
    status?: 'completed' | 'failed';
  }): Promise<string> {
    const { fingerprint, instanceId, seconds, status = 'completed' } = task;
    made += 1;
    const startMs = Date.UTC(2030, 0, 1) + made * 1_000;
    const [startedAt, finishedAt] = [startMs, startMs + seconds * 1_000].map((ms) =>
      new Date(ms).toISOString(),
    );
    const id = `task-${100 + made}`;
    await tables.write(async (trx) => {
      await sql`insert into tasks (id, owner, status, phase, progress, priority, tags, "instanceId", attempt, "cancelRequested",
          fingerprint, "retryPolicy", "maxAttempts", warnings, "createdAt", "updatedAt", "startedAt", "finishedAt")
        values (${id}, 'ann', ${status}, 'ended', 100, 0, '[]', ${instanceId}, 1, 0, ${fingerprint}, 'on_lost', 3,
          '[]', ${startedAt}, ${finishedAt}, ${startedAt}, ${finishedAt})`.execute(trx);
    });
    return id;
  }

  const insertAttempt = (attempt: { taskId: string; attempt: number; nodes: string | null }) =>
    tables.write(async (trx) => {
      await sql`insert into task_attempts ("taskId", attempt, "instanceId", "promptId", "clientId", state, "startedAt", nodes)
        values (${attempt.taskId}, ${attempt.attempt}, 'fast', 'p', 'c', 'ended', '2030-01-01T00:00:00.000Z', ${attempt.nodes})`.execute(
        trx,
      );
    });

  const newEstimates = (time = new ManualTime()) =>
    new Estimates({ store: new TaskDurationStore(tables), steadyClock: time.now });

  it('are those of the same graph on the instances that are asked about', async () => {
    const estimates = newEstimates();
    expect(await estimates.ofGraph('g.', ['fast'])).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
    expect(await estimates.ofGraph('g.', ['fast', 'slow'])).toHaveLength(9);
  });

  it('are unknown with fewer than five completed tasks', async () => {
    const estimates = newEstimates();
    expect(await estimates.ofGraph('g.', ['slow'])).toBeNull();
    expect(await estimates.ofGraph('other.', ['slow'])).toBeNull();
    expect(await estimates.ofGraph('g.', [])).toBeNull();
  });

  it('of an instance are those of all graphs', async () => {
    const estimates = newEstimates();
    expect(await estimates.ofInstances(['slow'])).toEqual([100_000, 200_000, 300_000, 400_000, 500_000]);
  });

  it('are remembered for some seconds, and read again after that', async () => {
    const time = new ManualTime();
    const estimates = newEstimates(time);
    await estimates.ofGraph('new.', ['fast']);
    for (const seconds of [7, 7, 7, 7, 7]) await insert({ fingerprint: 'new.', instanceId: 'fast', seconds });
    expect(await estimates.ofGraph('new.', ['fast'])).toBeNull();
    time.advance(5_000);
    expect(await estimates.ofGraph('new.', ['fast'])).toEqual([7_000, 7_000, 7_000, 7_000, 7_000]);
  });

  it('come with what was recorded of the nodes of the newest twenty tasks', async () => {
    const store = new TaskDurationStore(tables);
    for (let seconds = 1; seconds <= 22; seconds += 1) {
      const taskId = await insert({ fingerprint: 'nodes.', instanceId: 'fast', seconds });
      await insertAttempt({ taskId, attempt: 1, nodes: `record ${seconds}` });
    }
    const failed = { fingerprint: 'nodes.', instanceId: 'fast', seconds: 23, status: 'failed' } as const;
    await insertAttempt({ taskId: await insert(failed), attempt: 1, nodes: 'failed' });
    const twice = await insert({ fingerprint: 'nodes.', instanceId: 'fast', seconds: 24 });
    await insertAttempt({ taskId: twice, attempt: 2, nodes: 'another attempt' });
    await insertAttempt({ taskId: twice, attempt: 1, nodes: null });
    const newest = Array.from({ length: 19 }, (_, index) => `record ${22 - index}`);
    expect((await store.nodesOfGraph('nodes.')).sort()).toEqual(newest.sort());
  });

  it('of a graph are read from an index alone', async () => {
    if (opened.dialect !== 'sqlite') return;
    const { rows } = await sql<{ detail: string }>`explain query plan
      select "instanceId", "startedAt", "finishedAt" from tasks
      where fingerprint = 'g.' and status = 'completed' order by "finishedAt" desc limit 500`.execute(
      tables.read,
    );
    expect(rows.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('USING COVERING INDEX tasks_durations'),
    ]);
  });
}
