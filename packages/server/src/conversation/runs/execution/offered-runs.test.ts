import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { type RedisProcess, startRedis, testRedis } from '@switchyard/dev-env/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedOffers } from '../../../../testing/run-offers-fixture.ts';
import {
  alice,
  bob,
  carol,
  expectAgreement,
  hello,
  openRunsFixture,
  type RunsFixture,
  type RunsProcess,
} from '../../../../testing/runs-fixture.ts';
import type { ScriptedRun } from '../../../../testing/scripted-runner.ts';
import type { Database } from '../../../platform/database/database.ts';
import { openDatabase } from '../../../platform/database/open.ts';
import type { RunCaller } from '../intake/run-intake.ts';

const redisHere = testRedis('runs that several replicas share');
const postgres = testPostgres('on Postgres');
const forever = new AbortController().signal;

describe.skipIf(redisHere.isSkipped || postgres.isSkipped)(`${redisHere.title} ${postgres.title}`, () => {
  let server: RedisProcess;
  let fixture: RunsFixture;
  let opened: Database<unknown>[];

  beforeAll(async () => {
    server = await startRedis();
  });

  beforeEach(async () => {
    const url = await postgres.createDatabase();
    opened = [];
    fixture = await openRunsFixture(async () => {
      const database = await openDatabase(patientPostgres(url, 4));
      opened.push(database);
      return database;
    }, sharedOffers(server.url));
  });

  afterEach(async () => {
    await fixture.close();
    for (const database of opened) await database.close().catch(() => undefined);
    await server.flush();
  });

  afterAll(() => server.stop());

  async function startAll(count: number, slots: number): Promise<RunsProcess[]> {
    const processes = [];
    for (let n = 0; n < count; n += 1) processes.push(await fixture.start({ slots }));
    return processes;
  }

  /** Each run in a thread of its own. */
  async function submit({ runs }: RunsProcess, caller: RunCaller, count: number): Promise<string[]> {
    const ids = [];
    for (let n = 0; n < count; n += 1) {
      const thread = await fixture.thread(`${caller.userId}-${n}`, caller.userId);
      ids.push((await runs.start(caller, thread, hello())).run.run_id);
    }
    return ids;
  }

  /** Notes each run that begins in any process. */
  function noteAll(processes: readonly RunsProcess[], note: (run: ScriptedRun) => void): void {
    for (const { runner } of processes) void forEach(runner, note);
  }

  const openRuns = async () =>
    (await fixture.database.read.selectFrom('runs').select('run_id').where('ended_at', 'is', null).execute())
      .length;

  const countOffers =
    "local n = 0 for _, key in ipairs(redis.call('KEYS', '*:prioritized')) do n = n + redis.call('ZCARD', key) end return n";
  /** Returns how many runs Redis has to hand out. */
  const offered = async () => Number((await server.command('EVAL', countOffers, '0')).slice(1));

  test('begin once each, on all replicas that have room', async () => {
    const processes = await startAll(3, 2);
    const begun = new Map<string, number>();
    const held: ScriptedRun[] = [];
    processes.forEach(({ runner }, n) => {
      void forEach(runner, (run) => {
        begun.set(run.runId, n);
        held.push(run);
      });
    });
    const [first] = processes as [RunsProcess];
    const ids = await submit(first, alice, 12);
    await expect.poll(() => held.length).toBe(6);
    expect(new Set(begun.values()).size).toBe(3);
    await expect
      .poll(async () => {
        for (const run of held.splice(0)) run.succeed();
        return openRuns();
      })
      .toBe(0);
    expect([...begun.keys()].sort()).toEqual([...ids].sort());
    const rows = await fixture.database.read.selectFrom('runs').select('attempt').execute();
    expect(rows.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('follow each other within a thread, whichever replica admitted them', async () => {
    const processes = await startAll(3, 5);
    const begun: string[] = [];
    noteAll(processes, (run) => {
      begun.push(run.runId);
      run.succeed();
    });
    await fixture.thread('t');
    const started = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (processes[n % 3] as RunsProcess).runs.start(alice, 't', hello(), { claim: true, expect: true }),
      ),
    );
    for (const { result } of started) expect((await result(forever)).run.status).toBe('success');
    const byAdmission = started.map(({ run }) => run).sort((a, b) => a.admission - b.admission);
    expect(begun).toEqual(byAdmission.map(({ run_id }) => run_id));
  });

  test('give owners equal shares, however many runs each has', async () => {
    const processes = await startAll(3, 1);
    const [first] = processes as [RunsProcess];
    // All slots are taken while the others are submitted.
    const blocking: ScriptedRun[] = [];
    const users: string[] = [];
    noteAll(processes, (run) => {
      if (run.request.userId === 'dora') return void blocking.push(run);
      users.push(run.request.userId);
      run.succeed();
    });
    await submit(first, { userId: 'dora', mount: '/api/langgraph' }, 3);
    await expect.poll(() => blocking.length).toBe(3);
    await submit(first, alice, 20);
    await submit(first, bob, 6);
    await submit(first, carol, 2);
    // A run is offered after its commit. What is not offered yet cannot be chosen.
    await expect.poll(offered).toBe(28);
    for (const run of blocking) run.succeed();
    await expect.poll(openRuns).toBe(0);
    const shareOf = (user: string, among: number) =>
      users.slice(0, among).filter((other) => other === user).length;
    expect(shareOf('carol', 9)).toBe(2);
    expect(shareOf('bob', 9)).toBeGreaterThanOrEqual(2);
    expect(shareOf('bob', 17)).toBe(6);
  });

  test('end when they are cancelled through another replica, and let the next one of their thread begin', async () => {
    const [one, other] = (await startAll(2, 1)) as [RunsProcess, RunsProcess];
    const held: ScriptedRun[] = [];
    noteAll([one, other], (run) => void held.push(run));
    await submit(one, bob, 2);
    await expect.poll(() => held.length).toBe(2);
    await fixture.thread('t');
    const { run: waiting } = await one.runs.start(alice, 't', hello());
    const { run: next } = await one.runs.start(alice, 't', hello());
    const owner = { user: 'alice' };
    await other.runs.cancel(owner, { threadId: 't', runId: waiting.run_id }, 'interrupt');
    expect(await fixture.run(waiting.run_id)).toMatchObject({ status: 'interrupted', attempt: 0 });
    for (const run of held.splice(0)) run.succeed();
    await expect.poll(() => held.map(({ runId }) => runId)).toEqual([next.run_id]);
    held[0]?.succeed();
    await expect.poll(openRuns).toBe(0);
  });

  test('count for the limits of all replicas together', async () => {
    const limits = { waiting: 3, waitingPerUser: 2, recursion: { standard: 100, max: 1_000 } };
    const one = await fixture.start({ slots: 1, limits });
    const other = await fixture.start({ slots: 1, limits });
    const held: ScriptedRun[] = [];
    noteAll([one, other], (run) => void held.push(run));
    await submit(one, carol, 2);
    await expect.poll(() => held.length).toBe(2);
    await fixture.thread('a');
    await one.runs.start(alice, 'a', hello());
    await other.runs.start(alice, 'a', hello());
    await expect(one.runs.start(alice, 'a', hello())).rejects.toMatchObject({ code: 'too_many_runs' });
    await fixture.thread('b', 'bob');
    await other.runs.start(bob, 'b', hello());
    await expect(one.runs.start(bob, 'b', hello())).rejects.toMatchObject({ code: 'too_many_runs' });
  });

  test('are offered again after Redis was emptied', async () => {
    const [one, other] = (await startAll(2, 1)) as [RunsProcess, RunsProcess];
    const held: ScriptedRun[] = [];
    noteAll([one, other], (run) => void held.push(run));
    await submit(one, bob, 2);
    await expect.poll(() => held.length).toBe(2);
    const ids = await submit(one, alice, 5);
    await server.flush();
    for (const run of held.splice(0)) run.succeed();
    const begun: string[] = [];
    await expect
      .poll(async () => {
        fixture.time.advance(1_000);
        for (const run of held.splice(0)) {
          begun.push(run.runId);
          run.succeed();
        }
        return openRuns();
      })
      .toBe(0);
    expect(begun.sort()).toEqual([...ids].sort());
  });

  test('leave nothing in Redis once they have begun', async () => {
    const processes = await startAll(2, 2);
    noteAll(processes, (run) => run.succeed());
    await submit(processes[0] as RunsProcess, alice, 3);
    await expect.poll(openRuns).toBe(0);
    const keys = async () => Number((await server.command('DBSIZE')).slice(1));
    const before = await keys();
    await submit(processes[0] as RunsProcess, bob, 40);
    await expect.poll(openRuns).toBe(0);
    await expect.poll(keys).toBeLessThanOrEqual(before + 1);
  });

  test('are continued by another replica when theirs shuts down, without a further wait', async () => {
    const leaving = await fixture.start({ slots: 2 });
    const run = await fixture
      .thread('t')
      .then((thread) => leaving.runs.start(alice, thread, hello(), { claim: true }));
    await leaving.runner.next();
    const next = await fixture.start({ slots: 2 });
    await leaving.close();
    const again = await next.runner.next();
    expect(again.runId).toBe(run.run.run_id);
    again.succeed();
    await expect.poll(openRuns).toBe(0);
    expect(await fixture.run(run.run.run_id)).toMatchObject({ status: 'success', attempt: 2 });
  });

  test('are begun where they arrive while Redis is away, and from the line when it is back', async () => {
    const own = await startRedis();
    const alone = await openRunsFixture(undefined, sharedOffers(own.url));
    const process = await alone.start({ slots: 1 });
    await own.kill();
    const first = await process.runs.start(alice, await alone.thread('a'), hello(), { claim: true });
    expect(first.run).toMatchObject({ status: 'running' });
    const second = await process.runs.start(alice, await alone.thread('b'), hello());
    (await process.runner.next()).succeed();
    expect(process.runner.unseen).toBe(0);
    await own.restart();
    await expect
      .poll(() => {
        alone.time.advance(1_000);
        return process.runner.unseen;
      })
      .toBe(1);
    const begun = await process.runner.next();
    expect(begun.runId).toBe(second.run.run_id);
    begun.succeed();
    await alone.close();
    await own.stop();
  });
});

async function forEach(runner: RunsProcess['runner'], note: (run: ScriptedRun) => void): Promise<never> {
  for (;;) note(await runner.next());
}
