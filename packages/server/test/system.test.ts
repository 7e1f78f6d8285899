import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { testPostgres } from '@switchyard/dev-env/postgres';
import type { DispatchTables } from '@switchyard/server/dispatch/tables';
import type { JobTables } from '@switchyard/server/platform/jobs/tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';

const postgres = testPostgres('the system report on Postgres');

describe('the system report on SQLite', () => {
  reports(async () => ({ backend: 'sqlite' }));
});

describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  reports(async () => ({ backend: 'postgres', url: await postgres.createDatabase() }));
});

function reports(databaseOf: () => Promise<{ backend: 'sqlite' | 'postgres'; url?: string }>): void {
  let gateway: DevGateway;
  let worker: FakeWorker;
  let admin: DispatchCaller;
  let user: DispatchCaller;

  beforeAll(async () => {
    gateway = await startGateway({ config: { database: await databaseOf() } });
    worker = await FakeWorker.start();
    admin = await DispatchCaller.initialize(gateway.url);
    user = await DispatchCaller.register(gateway.url, 'user@example.com');
    await admin.useWorkers([worker.port]);
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  const report = async () => (await admin.call('GET', '/api/system')).data;
  const database = () => gateway.context.database;

  async function bury(id: string, more: object = {}): Promise<void> {
    const jobs = database().withTables<JobTables>();
    const dead = {
      id,
      kind: 'dispatch.sweep-files',
      key: null,
      payload: '{"secret":"x"}',
      runner: null,
      attempt: 7,
      intervalMs: null,
      lastError: 'The disk was full.',
      dueAtMs: null,
      diedAtMs: Date.now(),
    };
    await jobs.write((trx) =>
      trx
        .insertInto('jobs')
        .values({ ...dead, ...more })
        .execute(),
    );
  }

  it('is for administrators, and knows no fields in its query', async () => {
    for (const [method, path] of [
      ['GET', '/api/system'],
      ['POST', '/api/system/jobs/x/retry'],
    ] as const)
      expect((await user.request(method, path)).status).toBe(403);
    expect((await admin.request('GET', '/api/system?deep=1')).status).toBe(422);
  });

  it('names versions, and dependencies with their latency', async () => {
    const { versions, dependencies, startedAt, takenAt } = await report();
    expect(versions).toMatchObject({ gateway: '0.0.0-dev', node: process.versions.node });
    expect(versions.libraries['@langchain/langgraph']).toMatch(/^\d+\.\d+/);
    expect(dependencies).toMatchObject([
      { name: 'database', kind: database().backend, ok: true, latencyMs: expect.any(Number) },
      { name: 'storage', kind: 'disk', ok: true, latencyMs: expect.any(Number) },
      { name: 'bus', kind: 'memory', ok: true, latencyMs: null },
    ]);
    expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.parse(takenAt));
  });

  it('says in plain words what each process does', async () => {
    await expect
      .poll(async () => (await report()).replicas[0].holds.map(({ what }: { what: string }) => what))
      .toEqual(
        expect.arrayContaining(['places tasks and looks after the workers', 'works on runs of agents']),
      );
    const { replicas } = await report();
    expect(replicas.filter(({ isThis }: { isThis: boolean }) => isThis)).toHaveLength(1);
  });

  it('counts what users store by kind and by user, and measures the folders of threads', async () => {
    await user.upload('a.txt', Buffer.alloc(3_000, 1));
    await admin.upload('b.txt', Buffer.alloc(1_000, 2));
    const { data: task } = await user.call('GET', '/api/files');
    expect(task.total).toBe(1);
    const [{ owner: userId }] = (await database()
      .withTables<DispatchTables>()
      .read.selectFrom('files')
      .select('owner')
      .where('filename', '=', 'a.txt')
      .execute()) as [{ owner: string }];
    const folder = join(gateway.home, 'users', userId, 'threads', 't1');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'notes.txt'), 'x'.repeat(500));
    // The folders are measured once in ten minutes, and earlier tests have asked already.
    const { storage } = await report();
    const bytesOf = (kind: string) => storage.byKind.find((entry: { kind: string }) => entry.kind === kind);
    expect(bytesOf('files')).toEqual({ kind: 'files', bytes: 4_000, count: 2 });
    expect(bytesOf('database').bytes).toBeGreaterThan(10_000);
    expect(storage.byUser).toMatchObject([
      { email: 'user@example.com', userId, fileBytes: 3_000, files: 1 },
      { email: 'admin@example.com', fileBytes: 1_000, files: 1 },
    ]);
    expect(storage.foldersTakenAt).toEqual(expect.any(String));
    expect(storage.freeBytes[0].bytes).toBeGreaterThan(0);
  });

  it('says what the next sweep deletes, and when', async () => {
    const { fileId } = await user.upload('old.txt', Buffer.alloc(700, 3));
    const monthMs = 30 * 24 * 60 * 60 * 1000;
    // It is younger than the limit now, and older when the sweep of tomorrow comes.
    const createdAt = new Date(Date.now() - monthMs + 60_000).toISOString();
    await database()
      .withTables<DispatchTables>()
      .write((trx) => trx.updateTable('files').set({ createdAt }).where('id', '=', fileId).execute());
    const filesOf = (all: { what: string }[]) => all.find(({ what }) => what === 'files');
    // While the sweep of the start works, no next one is due.
    await expect
      .poll(async () => filesOf((await report()).retention))
      .toMatchObject({ keptSeconds: monthMs / 1000, count: 1, countIsMinimum: false, bytes: 700 });
    const { retention } = await report();
    const files = retention.find(({ what }: { what: string }) => what === 'files');
    expect(Date.parse(files.nextAt)).toBeGreaterThan(Date.now());
    expect(retention.map(({ what }: { what: string }) => what).sort()).toEqual([
      'audit',
      'dead_jobs',
      'files',
      'instance_events',
      'threads',
      'webhook_deliveries',
    ]);
  });

  it('lists dead jobs without their payload, and a retry makes one wait again, once', async () => {
    await bury('dead-1');
    const { deadJobs } = await report();
    expect(deadJobs).toEqual({
      total: 1,
      items: [
        {
          id: 'dead-1',
          kind: 'dispatch.sweep-files',
          key: null,
          attempts: 7,
          lastError: 'The disk was full.',
          diedAt: expect.any(String),
        },
      ],
    });
    const retried = await admin.request('POST', '/api/system/jobs/dead-1/retry');
    expect(retried.body).toEqual({ code: 200, data: { id: 'dead-1', outcome: 'waiting' } });
    await expect.poll(async () => (await report()).deadJobs.total).toBe(0);
    const again = await admin.request('POST', '/api/system/jobs/dead-1/retry');
    expect([again.status, again.body.error]).toEqual([404, 'job_not_found']);
    // It is done, and not only hidden.
    const left = () =>
      database()
        .withTables<JobTables>()
        .read.selectFrom('jobs')
        .select('id')
        .where('id', '=', 'dead-1')
        .execute();
    await expect.poll(left).toEqual([]);
  });

  it('drops a dead job when a newer one of its key waits', async () => {
    await bury('dead-2', { key: 'k' });
    await bury('waiting', { key: 'k', diedAtMs: null, dueAtMs: Date.now() + 3_600_000 });
    const { body } = await admin.request('POST', '/api/system/jobs/dead-2/retry');
    expect(body.data).toEqual({ id: 'dead-2', outcome: 'replaced' });
    expect((await report()).deadJobs.total).toBe(0);
  });
}
