import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newDeferred } from '../../lib/async/deferred.ts';
import { ManualTime } from '../../lib/async/manual-time.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { EmbeddedJobs, type EmbeddedJobsOptions } from './embedded-jobs.ts';
import type { JobFailure } from './job-lane.ts';
import type { Jobs } from './jobs.ts';
import { jobsConformance } from './jobs-conformance.ts';
import * as jobTables from './migrations/001-jobs.ts';
import type { JobTables } from './tables.ts';

jobsConformance('embedded, memory', async () => {
  const fleet = await Fleet.open();
  return {
    database: fleet.database.withTables(),
    now: fleet.databaseClock.now,
    newProcess: () => fleet.newProcess().jobs,
    kill: (jobs) => fleet.kill(jobs),
    pass: (forMs) => fleet.pass(forMs),
    close: () => fleet.database.close(),
  };
});

describe('embedded jobs', () => {
  let fleet: Fleet;

  beforeEach(async () => {
    fleet = await Fleet.open();
  });

  afterEach(() => fleet.database.close());

  test('look once in half a minute while there is nothing to do', async () => {
    const { jobs, time } = fleet.newProcess();
    jobs.register('work', async () => undefined);
    await jobs.start();
    await turns();
    expect((time.nextTimerMs ?? 0) - time.now()).toBe(30_000);
    await jobs.close();
    expect(time.nextTimerMs).toBeNull();
  });

  test('of a process that owns its database run at once what was cut off, not after a lock', async () => {
    const killed = fleet.newProcess();
    const started = newDeferred();
    killed.jobs.register('work', () => {
      started.resolve();
      return new Promise(() => undefined);
    });
    await killed.jobs.start();
    await killed.jobs.add({ kind: 'work', payload: {} });
    await started.promise;
    fleet.kill(killed.jobs);

    const restarted = fleet.newProcess({ isAlone: true });
    const again = newDeferred<number>();
    restarted.jobs.register('work', async ({ attempt }) => again.resolve(attempt));
    await restarted.jobs.start();
    expect(await again.promise).toBe(2);
    await restarted.jobs.close();
  });

  test('that take their process along each time are dead in the end', async () => {
    for (let start = 0; start < 2; start += 1) {
      const { jobs } = fleet.newProcess({ isAlone: true });
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
      fleet.kill(jobs);
    }
    const last = fleet.newProcess({ isAlone: true });
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

  test('are aborted when another process took them over, and note nothing any more', async () => {
    const paused = fleet.newProcess();
    const gate = newDeferred();
    const signals: AbortSignal[] = [];
    paused.jobs.register('work', async ({ signal }) => {
      signals.push(signal);
      await gate.promise;
    });
    await paused.jobs.start();
    await paused.jobs.add({ kind: 'work', payload: {} });
    await turns();
    fleet.pause(paused.jobs);

    const next = fleet.newProcess();
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
    await turns();
    expect(
      await fleet.database.read.selectFrom('jobs').select('id').where('kind', '=', 'work').execute(),
    ).toHaveLength(1);
    secondGate.resolve();
    await Promise.all([paused.jobs.close(), next.jobs.close()]);
  });

  test('go on when the database comes back, and tell the trouble meanwhile', async () => {
    let isAway = false;
    const flaky: Database<JobTables> = Object.assign(Object.create(fleet.database), {
      write: (unit: Parameters<Database<JobTables>['write']>[0]) =>
        isAway ? Promise.reject(new Error('connection refused')) : fleet.database.write(unit),
    });
    const failures: JobFailure[] = [];
    const { jobs } = fleet.newProcess({ database: flaky, report: (failure) => failures.push(failure) });
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

  test('report each failure with what becomes of the job', async () => {
    const failures: JobFailure[] = [];
    const { jobs } = fleet.newProcess({ report: (failure) => failures.push(failure) });
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

  test('take a shorter interval at the next start', async () => {
    const before = fleet.newProcess();
    before.jobs.register('work', async () => undefined);
    before.jobs.every('work', 3_600_000);
    await before.jobs.start();
    await fleet.pass(1_000);
    await before.jobs.close();
    const after = fleet.newProcess();
    let runs = 0;
    after.jobs.register('work', async () => {
      runs += 1;
    });
    after.jobs.every('work', 60_000);
    await after.jobs.start();
    await fleet.pass(61_000);
    expect(runs).toBe(1);
    await after.jobs.close();
  });

  test('refuse a second handler for a kind', () => {
    const { jobs } = fleet.newProcess();
    jobs.register('work', async () => undefined);
    expect(() => jobs.register('work', async () => undefined)).toThrow('Two handlers');
    expect(() => jobs.every('other', 1_000)).toThrow('other');
  });
});

/** Processes that share one database, each with timers of its own. */
class Fleet {
  readonly database: Database<JobTables>;
  readonly databaseClock = new ManualTime();
  readonly #living = new Map<Jobs, ManualTime>();
  readonly #paused = new Map<Jobs, ManualTime>();

  static async open(): Promise<Fleet> {
    const database = await openDatabase({ backend: 'memory' });
    await migrate(database, 'jobs', [jobTables]);
    return new Fleet(database.withTables());
  }

  private constructor(database: Database<JobTables>) {
    this.database = database;
  }

  newProcess(options: Partial<EmbeddedJobsOptions> = {}): { jobs: EmbeddedJobs; time: ManualTime } {
    const time = new ManualTime(0);
    const jobs = new EmbeddedJobs({
      database: this.database,
      isAlone: false,
      report: () => undefined,
      timer: time.timer,
      databaseTime: () => sql<number>`cast(${this.databaseClock.now()} as bigint)`,
      random: () => 0.5,
      ...options,
    });
    this.#living.set(jobs, time);
    return { jobs, time };
  }

  /** Its time stands still. */
  kill(jobs: Jobs): void {
    this.#living.delete(jobs);
  }

  pause(jobs: Jobs): void {
    const time = this.#living.get(jobs);
    if (time) this.#paused.set(jobs, time);
    this.#living.delete(jobs);
  }

  resume(jobs: Jobs): void {
    const time = this.#paused.get(jobs);
    if (time) this.#living.set(jobs, time);
  }

  async pass(forMs: number): Promise<void> {
    const stepMs = Math.max(250, forMs / 200);
    for (let elapsedMs = 0; elapsedMs < forMs; elapsedMs += stepMs) {
      this.databaseClock.advance(stepMs);
      for (const time of this.#living.values()) time.advance(stepMs);
      await turns();
    }
  }
}

/** Lets what has been started come to rest: everything here happens in memory. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
