import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  alice,
  expectAgreement,
  hello,
  openRunsFixture,
  type RunsFixture,
  type RunsProcess,
} from '../../../testing/runs-fixture.ts';
import type { ScriptedRunner } from '../../../testing/scripted-runner.ts';
import type { Database } from '../../platform/database/database.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { UnreadThreadStore } from '../threads/unread-thread-store.ts';

const { title, isSkipped, createDatabase } = testPostgres(
  'runs on Postgres, a connection pool for each process',
);
const forever = new AbortController().signal;

describe.skipIf(isSkipped)(title, () => {
  let fixture: RunsFixture;
  let opened: Database<unknown>[];
  let processes: RunsProcess[];

  beforeEach(async () => {
    const url = await createDatabase();
    opened = [];
    fixture = await openRunsFixture(async () => {
      const database = await openDatabase(patientPostgres(url, 4));
      opened.push(database);
      return database;
    });
    processes = [];
    for (let n = 0; n < 3; n += 1) processes.push(await fixture.start());
    await fixture.thread('t');
  });

  afterEach(async () => {
    await fixture.close();
    for (const database of opened) await database.close().catch(() => undefined);
  });

  function processOf(n: number): RunsProcess {
    return processes[n % processes.length] as RunsProcess;
  }

  test('the end of a run makes its thread unread until its owner has seen that end', async () => {
    const { result } = await processOf(0).runs.start(alice, 't', hello(), { claim: true, expect: true });
    (await processOf(0).runner.next()).succeed({ n: 1 });
    await result(forever);
    const store = new UnreadThreadStore(fixture.database);
    const [unread] = await store.page('alice', { after: null, limit: 10 });
    expect(unread).toMatchObject({ thread_id: 't', run_ended_at: expect.any(String) });
    expect(await store.countUpTo('alice', 10)).toBe(1);
    expect(await store.page('bob', { after: null, limit: 10 })).toEqual([]);
    const after = { runEndedAt: unread?.run_ended_at ?? '', threadId: 't' };
    expect(await store.page('alice', { after, limit: 10 })).toEqual([]);
    expect(await store.markRead({ user: 'bob' }, 't', null)).toBeUndefined();
    expect(await store.markRead({ user: 'alice' }, 't', '2000-01-01T00:00:00.000Z')).toMatchObject({
      unread: true,
    });
    expect(await store.markRead({ user: 'alice' }, 't', unread?.run_ended_at ?? null)).toMatchObject({
      unread: false,
    });
    expect(await store.countUpTo('alice', 10)).toBe(0);
  });

  test('runs of one thread are started once each, in the order of their admission', async () => {
    const begun: string[] = [];
    for (const { runner } of processes) void endAll(runner, (runId) => begun.push(runId));
    const started = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        processOf(n).runs.start(alice, 't', hello(), { claim: true, expect: true }),
      ),
    );
    for (const { result } of started) expect((await result(forever)).run.status).toBe('success');
    const byAdmission = started.map(({ run }) => run).sort((a, b) => a.admission - b.admission);
    expect(begun).toEqual(byAdmission.map(({ run_id }) => run_id));
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('of many runs that require an idle thread one is admitted', async () => {
    const asked = await Promise.allSettled(
      Array.from({ length: 9 }, (_, n) =>
        processOf(n).runs.start(alice, 't', hello({ multitask_strategy: 'reject' }), { claim: true }),
      ),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of asked)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'run_active' });
  });

  test('starting, interrupting and cancelling at once leaves no run and no thread behind', async () => {
    for (const { runner } of processes) void endAll(runner);
    const strategies = ['enqueue', 'interrupt', 'rollback'] as const;
    const results = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        const { runs } = processOf(n);
        const multitask_strategy = strategies[n % strategies.length] as (typeof strategies)[number];
        const { run, result } = await runs.start(alice, 't', hello({ multitask_strategy }), {
          claim: true,
          expect: true,
        });
        const name = { threadId: 't', runId: run.run_id };
        if (n % 4 === 0)
          await processOf(n + 1)
            .runs.cancel({ user: 'alice' }, name, 'interrupt')
            .catch(isOver);
        return result(forever);
      }),
    );
    expect(results.every(({ run }) => run.ended_at !== null)).toBe(true);
    expect(await expectAgreement(fixture)).toEqual([]);
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'idle' });
  });
});

async function endAll(runner: ScriptedRunner, note?: (runId: string) => void): Promise<never> {
  for (;;) {
    const run = await runner.next();
    note?.(run.runId);
    run.succeed();
  }
}

/** It had ended by itself before it was cancelled. */
function isOver(error: { code?: string }): void {
  if (error.code !== 'run_not_cancellable') throw error;
}
