import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aroundWrites } from '../../../testing/around-writes.ts';
import { JobFleet } from '../../../testing/job-fleet.ts';
import { jobsConformance } from '../../../testing/jobs-conformance.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import type { JobFailure } from './job-attempts.ts';
import type { Job } from './jobs.ts';
import { jobMigrations } from './migrations.ts';

jobsConformance('embedded, memory', async () => (await openFleet()).asVariant());

const postgres = testPostgres('embedded, Postgres');
describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  jobsConformance('a connection for each process', async () => {
    const url = await postgres.createDatabase();
    const connect = () => openDatabase(patientPostgres(url, 1));
    const fleet = await JobFleet.open(connect);
    await migrate(fleet.database.withTables(), 'jobs', jobMigrations);
    return fleet.asVariant();
  });
});

describe('embedded jobs', () => {
  let fleet: JobFleet;

  beforeEach(async () => {
    fleet = await openFleet();
  });

  afterEach(() => fleet.close());

  test('check once in half a minute while there is nothing to do', async () => {
    const { jobs, time } = await fleet.newProcess();
    jobs.register('work', async () => undefined);
    await jobs.start();
    await fleet.settle();
    expect((time.nextTimerMs ?? 0) - time.now()).toBe(30_000);
    await jobs.close();
    expect(time.nextTimerMs).toBeNull();
  });

  test('resume interrupted work at once when their process owns the database, without waiting for a lock', async () => {
    const killed = await fleet.newProcess();
    const started = newDeferred();
    killed.jobs.register('work', () => {
      started.resolve();
      return new Promise(() => undefined);
    });
    await killed.jobs.start();
    await killed.jobs.add({ kind: 'work', payload: {} });
    await started.promise;
    fleet.stop(killed.jobs);

    const restarted = await fleet.newProcess({ isAlone: true });
    const again = newDeferred<number>();
    restarted.jobs.register('work', async ({ attempt }) => again.resolve(attempt));
    await restarted.jobs.start();
    expect(await again.promise).toBe(2);
    await restarted.jobs.close();
  });

  test('are dead after they have crashed their process in every attempt', async () => {
    for (let start = 0; start < 2; start += 1) {
      const { jobs } = await fleet.newProcess({ isAlone: true });
      const started = newDeferred();
      jobs.register(
        'work',
        () => {
          started.resolve();
          return new Promise(() => undefined);
        },
        { retryDelaysMs: [1_000] },
      );
      await jobs.start();
      if (start === 0) await jobs.add({ kind: 'work', payload: {} });
      await started.promise;
      fleet.stop(jobs);
    }
    const last = await fleet.newProcess({ isAlone: true });
    let runs = 0;
    last.jobs.register(
      'work',
      async () => {
        runs += 1;
      },
      { retryDelaysMs: [1_000] },
    );
    await last.jobs.start();
    await fleet.pass(10_000);
    expect(runs).toBe(0);
    expect(await last.jobs.dead(10)).toMatchObject([
      { lastError: 'Its process ended during the last attempt.' },
    ]);
    await last.jobs.close();
  });

  test('are aborted when another process took them over, and record nothing afterwards', async () => {
    const paused = await fleet.newProcess();
    const gate = newDeferred();
    const signals: AbortSignal[] = [];
    paused.jobs.register('work', async ({ signal }) => {
      signals.push(signal);
      await gate.promise;
    });
    await paused.jobs.start();
    await paused.jobs.add({ kind: 'work', payload: {} });
    await fleet.settle();
    fleet.stop(paused.jobs);

    const next = await fleet.newProcess();
    const secondGate = newDeferred();
    const attempts: number[] = [];
    next.jobs.register('work', async ({ attempt }) => {
      attempts.push(attempt);
      await secondGate.promise;
    });
    await next.jobs.start();
    await fleet.pass(90_000);
    expect(attempts).toEqual([2]);

    fleet.resume(paused.jobs);
    await fleet.pass(30_000);
    expect(signals[0]?.aborted).toBe(true);
    gate.resolve();
    await fleet.settle();
    expect(
      await fleet.database.read.selectFrom('jobs').select('id').where('kind', '=', 'work').execute(),
    ).toHaveLength(1);
    secondGate.resolve();
    await Promise.all([paused.jobs.close(), next.jobs.close()]);
  });

  test('do not affect their successor when they end late, before their process learns of the loss', async () => {
    const paused = await fleet.newProcess();
    const gates = [newDeferred(), newDeferred()];
    const work = async ({ attempt }: Job): Promise<void> => gates[attempt - 1]?.promise;
    paused.jobs.register('work', work);
    await paused.jobs.start();
    await paused.jobs.add({ kind: 'work', payload: {} });
    await fleet.settle();
    fleet.stop(paused.jobs);
    const next = await fleet.newProcess();
    next.jobs.register('work', work);
    await next.jobs.start();
    await fleet.pass(90_000);

    gates[0]?.resolve();
    await fleet.settle();
    const rows = await fleet.database.read
      .selectFrom('jobs')
      .select('attempt')
      .where('kind', '=', 'work')
      .execute();
    expect(rows).toEqual([{ attempt: 2 }]);
    gates[1]?.resolve();
    await Promise.all([paused.jobs.close(), next.jobs.close()]);
  });

  test('continue when the database comes back, and report the failure meanwhile', async () => {
    let isAway = false;
    const flaky = aroundWrites(fleet.database, (write) =>
      isAway ? Promise.reject(new Error('connection refused')) : write(),
    );
    const failures: JobFailure[] = [];
    const { jobs } = await fleet.newProcess({ database: flaky, report: (failure) => failures.push(failure) });
    let runs = 0;
    jobs.register('work', async () => {
      runs += 1;
    });
    await jobs.start();
    await jobs.add({ kind: 'work', runAtMs: fleet.databaseClock.now() + 1_000, payload: {} });
    isAway = true;
    await fleet.pass(20_000);
    expect(runs).toBe(0);
    const ofWork = failures.filter(({ kind }) => kind === 'work');
    expect(ofWork.length).toBeGreaterThanOrEqual(3);
    expect(ofWork.length).toBeLessThanOrEqual(5);
    expect(ofWork[0]).toEqual({ kind: 'work', error: new Error('connection refused') });
    isAway = false;
    await fleet.pass(10_000);
    expect(runs).toBe(1);
    await jobs.close();
  });

  test('report each failure together with the next state of the job', async () => {
    const failures: JobFailure[] = [];
    const { jobs } = await fleet.newProcess({ report: (failure) => failures.push(failure) });
    jobs.register('work', () => Promise.reject(new Error('broke')), { retryDelaysMs: [1_000] });
    await jobs.start();
    await jobs.add({ kind: 'work', payload: {} });
    await fleet.pass(5_000);
    expect(failures.map(({ job }) => job)).toMatchObject([
      { attempt: 1, isDead: false },
      { attempt: 2, isDead: true },
    ]);
    await jobs.close();
  });

  test('adopt a shorter interval at the next start', async () => {
    const before = await fleet.newProcess();
    before.jobs.register('work', async () => undefined, { everyMs: 3_600_000 });
    await before.jobs.start();
    await fleet.pass(1_000);
    await before.jobs.close();
    const after = await fleet.newProcess();
    let runs = 0;
    after.jobs.register(
      'work',
      async () => {
        runs += 1;
      },
      { everyMs: 60_000 },
    );
    await after.jobs.start();
    await fleet.pass(61_000);
    expect(runs).toBe(1);
    await after.jobs.close();
  });

  test('refuse a second handler for a kind', async () => {
    const { jobs } = await fleet.newProcess();
    jobs.register('work', async () => undefined);
    expect(() => jobs.register('work', async () => undefined)).toThrow('Two handlers');
  });
});

/** All processes share one database in memory. */
async function openFleet(): Promise<JobFleet> {
  const database = await openDatabase({ backend: 'memory' });
  await migrate(database, 'jobs', jobMigrations);
  return JobFleet.open(async () => database);
}
