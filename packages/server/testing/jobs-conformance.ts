import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Deferred, newDeferred } from '../src/lib/async/deferred.ts';
import { dayMs, minuteMs, secondMs } from '../src/lib/time-units.ts';
import type { Database } from '../src/platform/database/database.ts';
import type { Job, JobPolicy, Jobs } from '../src/platform/jobs/jobs.ts';

export interface JobsVariant {
  database: Database<unknown>;
  now: () => number;
  /** Another process on the same storage. */
  newProcess(): Promise<Jobs>;
  /** Stops the process at once; it records nothing. */
  kill(jobs: Jobs): void;
  /** Lets time pass for all live processes. */
  pass(forMs: number): Promise<void>;
  close(): Promise<void>;
}

/** The behaviour of every variant of the jobs port. */
export function jobsConformance(name: string, makeVariant: () => Promise<JobsVariant>): void {
  describe(`jobs: ${name}`, () => {
    let variant: JobsVariant;
    let open: Jobs[];

    beforeEach(async () => {
      variant = await makeVariant();
      open = [];
    });

    afterEach(async () => {
      await Promise.all([...open.map((jobs) => jobs.close(0)), variant.pass(2 * secondMs)]);
      await variant.close();
    });

    /** Starts a process whose jobs of the kind `work` call `handler` and are recorded. */
    async function startProcess(handler?: (job: Job) => Promise<void>, policy?: JobPolicy) {
      const jobs = await variant.newProcess();
      const runs = new Runs();
      jobs.register('work', (job) => runs.record(job, handler), policy);
      open.push(jobs);
      await jobs.start();
      return { jobs, runs };
    }

    /** A process that is dead is not closed at the end. */
    function die(jobs: Jobs): void {
      variant.kill(jobs);
      open = open.filter((one) => one !== jobs);
    }

    /** The clock going back by days is the same as the times of rows going ahead. */
    const setClockBack = (): Promise<unknown> => moveRows(3 * dayMs);
    const setClockAhead = (): Promise<unknown> => moveRows(-3 * dayMs);

    function moveRows(byMs: number): Promise<unknown> {
      return variant.database.write((trx) =>
        sql`update jobs set "dueAtMs" = "dueAtMs" + ${byMs}`.execute(trx),
      );
    }

    describe('a job', () => {
      test('runs once, with its payload', async () => {
        const { jobs, runs } = await startProcess();
        await jobs.add({ kind: 'work', payload: { taskId: 't1', count: 2, isLast: true, note: null } });
        expect(await runs.take()).toMatchObject({
          kind: 'work',
          key: null,
          attempt: 1,
          payload: { taskId: 't1', count: 2, isLast: true, note: null },
        });
        await variant.pass(10 * minuteMs);
        expect(runs.count).toBe(1);
      });

      test('exists if and only if the unit that enqueued it was committed', async () => {
        const { jobs, runs } = await startProcess();
        const undone = variant.database.write(async (trx) => {
          await jobs.enqueue(trx, { kind: 'work', payload: { from: 'undone' } });
          throw new Error('undone');
        });
        await expect(undone).rejects.toThrow('undone');
        await variant.database.write((trx) =>
          jobs.enqueue(trx, { kind: 'work', payload: { from: 'committed' } }),
        );
        jobs.wake('work');
        expect((await runs.take()).payload).toEqual({ from: 'committed' });
        await variant.pass(10 * minuteMs);
        expect(runs.count).toBe(1);
      });

      test('is found soon even without a call of wake', async () => {
        const { jobs, runs } = await startProcess();
        await variant.database.write((trx) => jobs.enqueue(trx, { kind: 'work', payload: {} }));
        await variant.pass(30 * secondMs);
        await runs.take();
      });

      test('does not run before its time', async () => {
        const { jobs, runs } = await startProcess();
        await jobs.add({ kind: 'work', runAtMs: variant.now() + 10 * secondMs, payload: {} });
        await variant.pass(9 * secondMs);
        expect(runs.count).toBe(0);
        await variant.pass(2 * secondMs);
        await runs.take();
      });

      test('can be deferred by months', async () => {
        const { jobs, runs } = await startProcess();
        await jobs.add({ kind: 'work', runAtMs: variant.now() + 60 * 24 * 60 * minuteMs, payload: {} });
        await variant.pass(minuteMs);
        expect(runs.count).toBe(0);
      });

      test('runs after a restart when it was added before', async () => {
        const stopped = await variant.newProcess();
        stopped.register('work', async () => undefined);
        await stopped.add({ kind: 'work', payload: { n: 1 } });
        await stopped.close();
        const { runs } = await startProcess();
        expect((await runs.take()).payload).toEqual({ n: 1 });
      });

      test('is refused when no handler is registered, or when its payload is large', async () => {
        const { jobs } = await startProcess();
        await expect(jobs.add({ kind: 'wrok', payload: {} })).rejects.toThrow('wrok');
        await expect(jobs.add({ kind: 'work', payload: { text: 'x'.repeat(17_000) } })).rejects.toThrow(
          'larger',
        );
      });
    });

    describe('a job under a key', () => {
      test('replaces the job that waits under it', async () => {
        const { jobs, runs } = await startProcess();
        const inOneSecond = (n: number) => ({
          kind: 'work',
          key: 'k',
          runAtMs: variant.now() + secondMs,
          payload: { n },
        });
        await jobs.add(inOneSecond(1));
        await jobs.add({ ...inOneSecond(2), runAtMs: variant.now() + 5 * secondMs });
        await variant.pass(3 * secondMs);
        expect(runs.count).toBe(0);
        await variant.pass(3 * secondMs);
        expect((await runs.take()).payload).toEqual({ n: 2 });
        await variant.pass(10 * minuteMs);
        expect(runs.count).toBe(1);
      });

      test('runs after the job that is running under it', async () => {
        const gates = [newDeferred(), newDeferred()];
        const { jobs, runs } = await startProcess(async ({ payload }) => gates[Number(payload.n)]?.promise);
        await jobs.add({ kind: 'work', key: 'k', payload: { n: 0 } });
        await runs.take();
        await jobs.add({ kind: 'work', key: 'k', payload: { n: 1 } });
        gates[0]?.resolve();
        expect((await runs.take()).payload).toEqual({ n: 1 });
        gates[1]?.resolve();
      });

      test('replaces the job that failed meanwhile', async () => {
        const gate = newDeferred();
        const { jobs, runs } = await startProcess(async ({ payload }) => {
          if (payload.n === 1) await gate.promise;
        });
        await jobs.add({ kind: 'work', key: 'k', payload: { n: 1 } });
        await runs.take();
        await jobs.add({ kind: 'work', key: 'k', runAtMs: variant.now() + 5 * secondMs, payload: { n: 2 } });
        gate.reject(new Error('failed'));
        await variant.pass(10 * minuteMs);
        expect((await runs.take()).payload).toEqual({ n: 2 });
        expect(runs.count).toBe(2);
      });
    });

    describe('a job that fails', () => {
      test('is tried again after each delay, and is dead after the last one', async () => {
        const { jobs, runs } = await startProcess(
          async ({ attempt }) => {
            throw new Error(`broke in attempt ${attempt}`);
          },
          { retryDelaysMs: [secondMs, 10 * secondMs] },
        );
        await jobs.add({ kind: 'work', key: 'k', payload: { n: 1 } });
        expect((await runs.take()).attempt).toBe(1);
        await variant.pass(1.5 * secondMs);
        expect((await runs.take()).attempt).toBe(2);
        await variant.pass(9 * secondMs);
        expect(runs.count).toBe(2);
        await variant.pass(4 * secondMs);
        expect((await runs.take()).attempt).toBe(3);
        await variant.pass(10 * minuteMs);
        expect(runs.count).toBe(3);
        expect(await jobs.dead(10)).toMatchObject([
          { kind: 'work', key: 'k', payload: { n: 1 }, attempts: 3, lastError: 'Error: broke in attempt 3' },
        ]);
      });

      test('is removed when a later attempt succeeds', async () => {
        const { jobs, runs } = await startProcess(
          async ({ attempt }) => {
            if (attempt === 1) throw new Error('not yet');
          },
          { retryDelaysMs: [secondMs] },
        );
        await jobs.add({ kind: 'work', payload: {} });
        await runs.take();
        await variant.pass(2 * secondMs);
        await runs.take();
        await variant.pass(10 * minuteMs);
        expect(runs.count).toBe(2);
        expect(await jobs.dead(10)).toEqual([]);
      });

      test('does not delay the others', async () => {
        const { jobs, runs } = await startProcess(async ({ payload }) => {
          if (payload.n === 1) throw new Error('broke');
        });
        await jobs.add({ kind: 'work', payload: { n: 1 } });
        await runs.take();
        await jobs.add({ kind: 'work', payload: { n: 2 } });
        expect((await runs.take()).payload).toEqual({ n: 2 });
      });

      test('is forgotten a week after it died', async () => {
        const { jobs, runs } = await startProcess(() => Promise.reject(new Error('broke')), {
          retryDelaysMs: [],
        });
        await jobs.add({ kind: 'work', payload: {} });
        await runs.take();
        await variant.pass(minuteMs);
        expect(await jobs.dead(10)).toHaveLength(1);
        for (let days = 0; days < 8; days += 1) await variant.pass(24 * 60 * minuteMs);
        expect(await jobs.dead(10)).toEqual([]);
      });
    });

    describe('repeated work', () => {
      async function startRepeated(handler: (job: Job) => Promise<void>, policy?: JobPolicy) {
        const jobs = await variant.newProcess();
        const runs = new Runs();
        jobs.register('work', (job) => runs.record(job, handler), { ...policy, everyMs: minuteMs });
        open.push(jobs);
        await jobs.start();
        return { jobs, runs };
      }

      test('runs at start and after each interval', async () => {
        const { runs } = await startRepeated(async () => undefined);
        for (let run = 1; run <= 3; run += 1) {
          await runs.take();
          await variant.pass(50 * secondMs);
          expect(runs.count).toBe(run);
          await variant.pass(15 * secondMs);
        }
      });

      test('runs once per interval, however many processes there are', async () => {
        const all = await Promise.all([1, 2, 3].map(() => startRepeated(async () => undefined)));
        const total = () => all.reduce((sum, { runs }) => sum + runs.count, 0);
        await variant.pass(30 * secondMs);
        expect(total()).toBe(1);
        for (let minutes = 0; minutes < 5; minutes += 1) await variant.pass(minuteMs);
        expect(total()).toBeGreaterThanOrEqual(4);
        expect(total()).toBeLessThanOrEqual(6);
      });

      test('continues for ever, even if each execution fails', async () => {
        const { jobs, runs } = await startRepeated(() => Promise.reject(new Error('broke')), {
          retryDelaysMs: [secondMs],
        });
        for (let run = 0; run < 6; run += 1) {
          await runs.take();
          await variant.pass(65 * secondMs);
        }
        expect(await jobs.dead(10)).toEqual([]);
      });

      test('comes again after its interval when the clock is set back by days while it waits', async () => {
        const { runs } = await startRepeated(async () => undefined);
        await runs.take();
        await variant.pass(secondMs);
        await setClockBack();
        for (let seconds = 0; seconds < 120 && runs.count === 1; seconds += 5)
          await variant.pass(5 * secondMs);
        await runs.take();
      });

      test('keeps its schedule over a restart', async () => {
        const first = await startRepeated(async () => undefined);
        await first.runs.take();
        await variant.pass(secondMs);
        await first.jobs.close();
        const next = await startRepeated(async () => undefined);
        await variant.pass(30 * secondMs);
        expect(next.runs.count).toBe(0);
        await variant.pass(35 * secondMs);
        await next.runs.take();
      });
    });

    describe('when the clock is set back by days', () => {
      test('what was due at once under the old clock runs within a minute', async () => {
        const early = await variant.newProcess();
        early.register('work', async () => undefined);
        await early.add({ kind: 'work', payload: {} });
        await setClockBack();
        const { runs } = await startProcess();
        await variant.pass(minuteMs);
        await runs.take();
      });

      test('a job that failed is tried again after its delay', async () => {
        const { jobs, runs } = await startProcess(() => Promise.reject(new Error('broke')), {
          retryDelaysMs: [10 * secondMs],
        });
        await jobs.add({ kind: 'work', payload: {} });
        await runs.take();
        await variant.pass(secondMs);
        await setClockBack();
        await variant.pass(2 * minuteMs);
        expect(await runs.take()).toMatchObject({ attempt: 2 });
      });

      test('a job of a process that died is taken over', async () => {
        const dead = await startProcess(() => new Promise(() => undefined));
        await dead.jobs.add({ kind: 'work', payload: {} });
        await dead.runs.take();
        die(dead.jobs);
        await setClockBack();
        const { runs } = await startProcess();
        await variant.pass(3 * minuteMs);
        expect(await runs.take()).toMatchObject({ attempt: 2 });
      });

      test('a job with a moment of its own keeps it', async () => {
        const { jobs, runs } = await startProcess();
        await jobs.add({ kind: 'work', runAtMs: variant.now() + minuteMs, payload: {} });
        await setClockBack();
        await variant.pass(5 * minuteMs);
        expect(runs.count).toBe(0);
      });
    });

    describe('when the clock jumps ahead by days', () => {
      test('a process that lives keeps the job that it runs, and does not begin it a second time', async () => {
        const gate = newDeferred();
        const slow = await startProcess(() => gate.promise);
        await slow.jobs.add({ kind: 'work', payload: {} });
        await slow.runs.take();
        const other = await startProcess();
        // The other one looks for jobs at half a minute, before the holder renews its lock again.
        await variant.pass(25 * secondMs);
        await setClockAhead();
        for (let seconds = 0; seconds < 60; seconds += 5) await variant.pass(5 * secondMs);
        expect(other.runs.count).toBe(0);
        expect(slow.runs.count).toBe(1);
        gate.resolve();
      });

      test('a job of a process that died is taken over', async () => {
        const dead = await startProcess(() => new Promise(() => undefined));
        await dead.jobs.add({ kind: 'work', payload: {} });
        await dead.runs.take();
        die(dead.jobs);
        await setClockAhead();
        const { runs } = await startProcess();
        for (let seconds = 0; seconds < 180; seconds += 5) await variant.pass(5 * secondMs);
        expect(await runs.take()).toMatchObject({ attempt: 2 });
      });
    });

    describe('several at once', () => {
      test('run in the number that the policy allows, and the others follow', async () => {
        const gates = Array.from({ length: 6 }, () => newDeferred());
        const { jobs, runs } = await startProcess(
          ({ payload }) => gates[Number(payload.n)]?.promise ?? Promise.resolve(),
          {
            concurrency: 2,
          },
        );
        for (let n = 0; n < 6; n += 1) await jobs.add({ kind: 'work', payload: { n } });
        const running = [await runs.take(), await runs.take()];
        await variant.pass(5 * secondMs);
        expect(runs.count).toBe(2);
        for (const job of running) gates[Number(job.payload.n)]?.resolve();
        for (let left = 4; left > 0; left -= 1) gates[Number((await runs.take()).payload.n)]?.resolve();
      });

      test('are each run by only one of two processes', async () => {
        const one = await startProcess();
        const other = await startProcess();
        const adding = Array.from({ length: 40 }, (_, n) => one.jobs.add({ kind: 'work', payload: { n } }));
        await Promise.all(adding);
        other.jobs.wake('work');
        await variant.pass(31 * secondMs);
        const ran = [...one.runs.all, ...other.runs.all].map(({ payload }) => Number(payload.n));
        expect(ran.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
      });
    });

    describe('a process that dies', () => {
      test('leaves its job to another process, as a further attempt', async () => {
        const dying = await startProcess(() => new Promise(() => undefined));
        await dying.jobs.add({ kind: 'work', payload: { n: 1 } });
        await dying.runs.take();
        die(dying.jobs);
        const next = await startProcess();
        for (let seconds = 0; seconds < 120; seconds += 10) await variant.pass(10 * secondMs);
        expect(await next.runs.take()).toMatchObject({ payload: { n: 1 }, attempt: 2 });
      });

      test('keeps its job as long as it lives, however long the job takes', async () => {
        const gate = newDeferred();
        const slow = await startProcess(() => gate.promise);
        await slow.jobs.add({ kind: 'work', payload: {} });
        await slow.runs.take();
        const other = await startProcess();
        for (let seconds = 0; seconds < 300; seconds += 5) await variant.pass(5 * secondMs);
        expect(other.runs.count).toBe(0);
        gate.resolve();
      });
    });

    describe('close', () => {
      test('waits for running jobs and begins no new ones', async () => {
        const gate = newDeferred();
        const { jobs, runs } = await startProcess(() => gate.promise, { concurrency: 1 });
        await jobs.add({ kind: 'work', payload: { n: 1 } });
        await jobs.add({ kind: 'work', payload: { n: 2 } });
        const running = await runs.take();
        const closed = jobs.close(10 * secondMs);
        await variant.pass(5 * secondMs);
        expect(running.signal.aborted).toBe(false);
        gate.resolve();
        await closed;
        await variant.pass(minuteMs);
        expect(runs.count).toBe(1);
        const next = await startProcess();
        await next.runs.take();
        expect(next.runs.count).toBe(1);
      });

      test('aborts jobs that take too long, and the next process runs them without a lost attempt', async () => {
        const { jobs, runs } = await startProcess(
          ({ signal }) =>
            new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        );
        await jobs.add({ kind: 'work', payload: { n: 1 } });
        await runs.take();
        const closed = jobs.close(secondMs);
        await variant.pass(1.5 * secondMs);
        await closed;
        const next = await startProcess();
        expect(await next.runs.take()).toMatchObject({ payload: { n: 1 }, attempt: 1 });
      });

      test('does not wait for ever for a job that ignores its signal', async () => {
        const { jobs, runs } = await startProcess(() => new Promise(() => undefined));
        await jobs.add({ kind: 'work', payload: {} });
        await runs.take();
        const closed = jobs.close(secondMs);
        await variant.pass(5 * secondMs);
        await closed;
      });
    });
  });
}

/** The jobs that a handler received, in order. */
class Runs {
  readonly all: Job[] = [];
  readonly #next: Deferred<void>[] = [];
  #taken = 0;

  get count(): number {
    return this.all.length;
  }

  async record(job: Job, handler?: (job: Job) => Promise<void>): Promise<void> {
    this.all.push(job);
    this.#next.shift()?.resolve();
    await handler?.(job);
  }

  /** Waits for and returns the next job that was not taken yet. */
  async take(): Promise<Job> {
    const index = this.#taken;
    this.#taken += 1;
    if (index >= this.all.length) {
      const next: Deferred<void> = newDeferred();
      this.#next.push(next);
      await next.promise;
    }
    const job = this.all[index];
    if (!job) throw new Error('A run was announced that is not there.');
    return job;
  }
}
