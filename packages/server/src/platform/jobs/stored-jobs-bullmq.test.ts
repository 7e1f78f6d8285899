import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { type RedisProcess, startRedis, testRedis } from '@switchyard/dev-env/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aroundWrites } from '../../../testing/around-writes.ts';
import { openBullmqJobEngine } from '../../../testing/bullmq-job-engine.ts';
import { JobFleet } from '../../../testing/job-fleet.ts';
import { jobsConformance } from '../../../testing/jobs-conformance.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import type { JobFailure } from './job-attempts.ts';
import { jobMigrations } from './migrations.ts';

const redisHere = testRedis('jobs on BullMQ');
const postgres = testPostgres('and Postgres');

describe.skipIf(redisHere.isSkipped)(redisHere.title, () => {
  let redis: RedisProcess;

  beforeAll(async () => {
    redis = await startRedis();
  });

  afterAll(() => redis.stop());

  jobsConformance('BullMQ, SQLite', async () => {
    const database = await openDatabase({ backend: 'memory' });
    await migrate(database, 'jobs', jobMigrations);
    return (await JobFleet.open(async () => database, await openBullmqJobEngine(redis.url))).asVariant();
  });

  describe.skipIf(postgres.isSkipped)(postgres.title, () => {
    jobsConformance('a connection for each process', async () => {
      const url = await postgres.createDatabase();
      const connect = () => openDatabase(patientPostgres(url, 1));
      const fleet = await JobFleet.open(connect, await openBullmqJobEngine(redis.url));
      await migrate(fleet.database.withTables(), 'jobs', jobMigrations);
      return fleet.asVariant();
    });
  });

  describe('jobs of which Redis is told', () => {
    let server: RedisProcess;
    let fleet: JobFleet;

    beforeEach(async () => {
      server = await startRedis();
      const database = await openDatabase({ backend: 'memory' });
      await migrate(database, 'jobs', jobMigrations);
      fleet = await JobFleet.open(async () => database, await openBullmqJobEngine(server.url));
    });

    afterEach(async () => {
      await fleet.close();
      await server.stop();
    });

    /** A process that notes the jobs that it ran, and the failures that it reported. */
    async function startProcess(handle: () => Promise<void> = async () => undefined) {
      const ran: number[] = [];
      const failures: JobFailure[] = [];
      const { jobs } = await fleet.newProcess({ report: (failure) => failures.push(failure) });
      jobs.register('work', async ({ payload }) => {
        ran.push(Number(payload.n));
        await handle();
      });
      await jobs.start();
      return { jobs, ran, failures };
    }

    const rows = () =>
      fleet.database.read.selectFrom('jobs').select('id').where('kind', '=', 'work').execute();
    const keys = async () => Number((await server.command('DBSIZE')).slice(1));

    test('run although Redis was emptied, once each', async () => {
      const { jobs, ran } = await startProcess();
      const inOneMinute = fleet.databaseClock.now() + 60_000;
      for (let n = 0; n < 20; n += 1) await jobs.add({ kind: 'work', runAtMs: inOneMinute, payload: { n } });
      await fleet.settle();
      await server.flush();
      await fleet.pass(90_000);
      await expect.poll(() => ran.length).toBe(20);
      await fleet.pass(60_000);
      expect(ran.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
      expect(await rows()).toEqual([]);
      await jobs.close();
    });

    test('wait while Redis is away, and run by themselves when it is back', async () => {
      const { jobs, ran, failures } = await startProcess();
      await server.kill();
      for (let n = 0; n < 5; n += 1) await jobs.add({ kind: 'work', payload: { n } });
      expect(await rows()).toHaveLength(5);
      await expect.poll(() => failures.filter(({ kind }) => kind === 'work').length).toBeGreaterThan(0);
      expect(ran).toEqual([]);
      await server.restart();
      await expect.poll(() => ran.length).toBe(5);
      await expect.poll(rows).toEqual([]);
      await jobs.close();
    });

    test('do not include work that repeats every hour, which runs once for all processes', async () => {
      const ran: string[] = [];
      const startRepeating = async (name: string) => {
        const { jobs } = await fleet.newProcess({ report: () => undefined });
        jobs.register('sweep', async () => void ran.push(name), { everyMs: 3_600_000 });
        await jobs.start();
        return jobs;
      };
      const processes = [await startRepeating('a'), await startRepeating('b')];
      for (let times = 1; times <= 4; times += 1) {
        await expect.poll(() => ran.length).toBe(times);
        await fleet.pass(3_601_000);
      }
      expect(await server.command('KEYS', '*sweep*')).toBe('*0');
      await Promise.all(processes.map((jobs) => jobs.close()));
    });

    test('end and are recorded while Redis is away, and do not run again', async () => {
      const gate = newDeferred();
      const { jobs, ran } = await startProcess(() => gate.promise);
      await jobs.add({ kind: 'work', payload: { n: 1 } });
      await expect.poll(() => ran).toEqual([1]);
      await server.kill();
      gate.resolve();
      await expect.poll(rows).toEqual([]);
      await server.restart();
      await jobs.add({ kind: 'work', payload: { n: 2 } });
      await expect.poll(() => ran).toEqual([1, 2]);
      await jobs.close();
    });

    test('go on after Redis stood still', async () => {
      const { jobs, ran } = await startProcess();
      server.freeze();
      await jobs.add({ kind: 'work', payload: { n: 1 } });
      server.thaw();
      await expect.poll(() => ran).toEqual([1]);
      await jobs.close();
    });

    test('leave nothing behind in Redis, however often one is replaced under its key', async () => {
      const { jobs, ran } = await startProcess();
      for (let n = 0; n < 10; n += 1) await jobs.add({ kind: 'work', payload: { n } });
      await expect.poll(rows).toEqual([]);
      await fleet.settle();
      const before = await keys();
      for (let n = 0; n < 200; n += 1) {
        const runAtMs = fleet.databaseClock.now() + 5_000 + n;
        await jobs.add({ kind: 'work', key: 'k', runAtMs, payload: { n } });
      }
      await fleet.pass(20_000);
      await expect.poll(() => ran.length).toBe(11);
      await expect.poll(keys).toBeLessThanOrEqual(before);
      await jobs.close();
    });

    test('are offered only when their time is near', async () => {
      const { jobs, ran } = await startProcess();
      await fleet.settle();
      const before = await keys();
      const tomorrow = fleet.databaseClock.now() + 24 * 3_600_000;
      for (let n = 0; n < 50; n += 1) await jobs.add({ kind: 'work', runAtMs: tomorrow, payload: { n } });
      await fleet.settle();
      expect(await keys()).toBe(before);
      await fleet.pass(24 * 3_600_000 - 60_000);
      await fleet.pass(60_000);
      await expect.poll(() => ran.length).toBe(50);
      await jobs.close();
    });

    test('run once each, however often they are offered', async () => {
      const processes = await Promise.all([startProcess(), startProcess(), startProcess()]);
      const [first] = processes;
      const soon = fleet.databaseClock.now() + 40_000;
      for (let n = 0; n < 30; n += 1) await first?.jobs.add({ kind: 'work', runAtMs: soon, payload: { n } });
      // Each process sweeps, and Redis forgets in between, so all of them offer all jobs.
      for (let round = 0; round < 3; round += 1) {
        await fleet.pass(30_000);
        await server.flush();
      }
      await fleet.pass(60_000);
      await expect.poll(rows).toEqual([]);
      const ran = processes.flatMap((process) => process.ran).sort((a, b) => a - b);
      expect(ran).toEqual(Array.from({ length: 30 }, (_, n) => n));
      await Promise.all(processes.map(({ jobs }) => jobs.close()));
    });

    test('report a database that does not answer, and go on when it does', async () => {
      let isAway = false;
      const flaky = aroundWrites(fleet.database, (write) =>
        isAway ? Promise.reject(new Error('connection refused')) : write(),
      );
      const failures: JobFailure[] = [];
      const { jobs } = await fleet.newProcess({
        database: flaky,
        report: (failure) => failures.push(failure),
      });
      let runs = 0;
      jobs.register('work', async () => {
        runs += 1;
      });
      await jobs.start();
      await jobs.add({ kind: 'work', runAtMs: fleet.databaseClock.now() + 1_000, payload: {} });
      isAway = true;
      await fleet.pass(5_000);
      await expect
        .poll(() => failures)
        .toContainEqual({ kind: 'work', error: new Error('connection refused') });
      expect(runs).toBe(0);
      isAway = false;
      await expect.poll(() => runs).toBe(1);
      await jobs.close();
    });
  });
});
