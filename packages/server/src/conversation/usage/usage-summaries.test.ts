import type { ConsoleUsage } from '@switchyard/contract/conversation/console';
import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyRun } from '../../../testing/journal-fixture.ts';
import type { ModelConfig } from '../../config/models.ts';
import { readModels } from '../../config/models.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import { ModelPrices } from './costs.ts';
import { runAt } from './run-page.ts';
import { insertsOfUsage, type RunFilter, UsageStore } from './usage-store.ts';
import { type Asker, UsageSummaries, type WorkflowUsageOf } from './usage-summaries.ts';

const postgres = testPostgres('summaries of usage on Postgres');
const now = Date.parse('2026-03-10T22:30:00.000Z');
const ada: Asker = { owner: { user: 'ada' }, isEverybody: false };
const bob: Asker = { owner: { user: 'bob' }, isEverybody: false };
const everybody: Asker = { owner: { user: 'ada' }, isEverybody: true };

const models = readModels({
  fast: { pricing: { input_per_million: 2, output_per_million: 10, input_cache_hit_per_million: 0.5 } },
  slow: { pricing: { input_per_million: 4, output_per_million: 20 } },
  free: null,
  euro: { pricing: { input_per_million: 1, output_per_million: 1, currency: 'EUR' } },
});

const twoWeeks = { days: 14, offsetMinutes: 0 };
const firstPage = { limit: 10, offset: 0, after: null, filter: {} };
const noWork = { tasks: 0, task_seconds: 0, worker_cost: null };

type Used = { input: number; output: number; cached?: number };

function usageOf(used: Record<string, Used>): string {
  const entries = Object.entries(used).map(([model, { input, output, cached }]) => [
    model,
    {
      tokens: input + output,
      input_tokens: input,
      output_tokens: output,
      ...(cached !== undefined && { cache_read_tokens: cached }),
      calls: 1,
    },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

describe('summaries of usage on SQLite', () => summariesBehave(async () => ({ backend: 'memory' })));

describe('summaries of usage in pieces of a row', () =>
  summariesBehave(async () => ({ backend: 'memory' }), { rowsAtOnce: 1 }));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  summariesBehave(async () => patientPostgres(await postgres.createDatabase(), 3)),
);

function summariesBehave(where: () => Promise<DatabaseOptions>, pieces: { rowsAtOnce?: number } = {}): void {
  let opened: Database<unknown>;
  let database: Database<ConversationTables>;
  let admission = 0;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ConversationTables>();
    await end('r1', 'ada', '2026-03-10T10:00:00.000Z', { fast: { input: 1000, output: 100, cached: 400 } });
    await end('r2', 'ada', '2026-03-09T23:45:00.000Z', {
      fast: { input: 500, output: 50 },
      slow: { input: 200, output: 10 },
    });
    await end('r3', 'ada', '2026-03-09T10:00:00.000Z', {});
    await end('r4', 'bob', '2026-03-10T10:00:00.000Z', { free: { input: 70, output: 7 } });
    await end('r5', 'ada', '2026-02-01T10:00:00.000Z', { fast: { input: 1_000_000, output: 0 } });
  });
  afterAll(() => opened.close());

  async function end(
    run_id: string,
    user_id: string,
    ended_at: string,
    used: Record<string, Used>,
    more: Partial<RunRow> = {},
  ) {
    admission += 1;
    const started_at = new Date(Date.parse(ended_at) - 2_500).toISOString();
    const row = {
      ...emptyRun,
      run_id,
      user_id,
      admission,
      started_at,
      ended_at,
      error: 'a secret',
      token_usage_by_model: usageOf(used),
      ...more,
    };
    await database.write(async (trx, lastly) => {
      await trx.insertInto('runs').values(row).execute();
      lastly(...insertsOfUsage(row));
    });
  }

  const summaries = (
    priced: readonly ModelConfig[] = models.filter(({ name }) => name !== 'euro'),
    workflowUsage: WorkflowUsageOf | null = null,
  ) =>
    new UsageSummaries({
      store: new UsageStore(database, pieces),
      prices: new ModelPrices(priced),
      workflowUsage,
      countAgents: async () => 2,
      emailsOf: async () => new Map([['ada', 'ada@example.com']]),
      isAvailable: true,
      clock: () => now,
    });

  it('use the days of the caller’s clock, without gaps', async () => {
    const { days } = await summaries().usage(ada, { days: 3, offsetMinutes: 0 });
    // r1: 600 × 2 + 400 × 0.5 + 100 × 10 millionths; r2: 500 × 2 + 50 × 10 + 200 × 4 + 10 × 20.
    expect(days).toEqual([
      {
        date: '2026-03-08',
        total_tokens: 0,
        input_tokens: 0,
        output_tokens: 0,
        cache_read_tokens: 0,
        simulated_tokens: 0,
        runs: 0,
        cost: 0,
        ...noWork,
      },
      {
        date: '2026-03-09',
        total_tokens: 760,
        input_tokens: 700,
        output_tokens: 60,
        cache_read_tokens: 0,
        simulated_tokens: 0,
        runs: 2,
        cost: 0.0025,
        ...noWork,
      },
      {
        date: '2026-03-10',
        total_tokens: 1100,
        input_tokens: 1000,
        output_tokens: 100,
        cache_read_tokens: 400,
        simulated_tokens: 0,
        runs: 1,
        cost: 0.0024,
        ...noWork,
      },
    ]);

    const inIndia = await summaries().usage(ada, { days: 2, offsetMinutes: 330 });
    expect(inIndia.days.map(({ date, runs }) => [date, runs])).toEqual([
      ['2026-03-10', 2],
      ['2026-03-11', 0],
    ]);
    const inCalifornia = await summaries().usage(ada, { days: 2, offsetMinutes: -480 });
    expect(inCalifornia.days.map(({ date, runs }) => [date, runs])).toEqual([
      ['2026-03-09', 2],
      ['2026-03-10', 1],
    ]);
  });

  it('let other work run while they are made', async () => {
    const store = new UsageStore(database, { rowsAtOnce: 1 });
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await store.byModel(everybody.owner, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
    isOver = true;
    // r1 to r3 and r5 ended at different times.
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it('count a run that ends while they are made in every part or in none', async () => {
    const late = Array.from({ length: 40 }, (_, index) => `late-${index}`);
    const ends = (async () => {
      for (const id of late) await end(id, id, '2026-03-10T11:00:00.000Z', { fast: { input: 1, output: 1 } });
    })();
    for (let isOver = false; !isOver; ) {
      isOver = await Promise.race([ends.then(() => true), summaries().usage(everybody, twoWeeks).then(same)]);
    }
    await database.write(async (trx) => {
      await trx.deleteFrom('run_usage').where('run_id', 'in', late).execute();
      await trx.deleteFrom('runs').where('run_id', 'in', late).execute();
    });

    function same(usage: ConsoleUsage): false {
      const runs = [usage.days, usage.by_user, usage.by_agent].map((parts) =>
        parts.reduce((sum, part) => sum + part.runs, 0),
      );
      expect(new Set(runs)).toEqual(new Set([usage.total_runs]));
      return false;
    }
  });

  it('tell models apart, and count a run under each model that it called', async () => {
    const usage = await summaries().usage(ada, { days: 14, offsetMinutes: 0 });
    expect(usage.by_model).toEqual({
      fast: {
        tokens: 1650,
        input_tokens: 1500,
        output_tokens: 150,
        cache_read_tokens: 400,
        runs: 2,
        cost: 0.0039,
        currency: 'USD',
        simulated: false,
      },
      slow: {
        tokens: 210,
        input_tokens: 200,
        output_tokens: 10,
        cache_read_tokens: 0,
        runs: 1,
        cost: 0.001,
        currency: 'USD',
        simulated: false,
      },
    });
    expect(usage).toMatchObject({
      total_runs: 3,
      total_tokens: 1860,
      total_cost: 0.0049,
      currency: 'USD',
      costs: { USD: 0.0049 },
      unpriced_tokens: 0,
      by_user: [{ user_id: 'ada', email: 'ada@example.com', tokens: 1860, runs: 3, cost: 0.0049 }],
    });
  });

  it('put the tokens and the work of the pool together by day, user and agent', async () => {
    await end(
      's1',
      'eve',
      '2026-03-10T10:00:00.000Z',
      { fast: { input: 500, output: 0 } },
      { assistant_id: 'lead' },
    );
    await end('s2', 'eve', '2026-03-09T10:00:00.000Z', { 'switchyard-demo': { input: 5, output: 5 } });
    const work = (tasks: number) => ({ tasks, seconds: tasks * 10, cost: tasks });
    const today = Math.floor(now / 86_400_000);
    const pool: WorkflowUsageOf = async (userId) => {
      expect(userId).toBe('eve');
      return {
        workflows: [],
        byDay: new Map([[today, work(3)]]),
        byUser: new Map([['eve', work(3)]]),
        byAgent: new Map([
          ['lead', work(2)],
          ['', work(1)],
        ]),
        total: work(3),
        currency: 'EUR',
      };
    };
    const eve: Asker = { owner: { user: 'eve' }, isEverybody: false };
    const usage = await summaries(undefined, pool).usage(eve, { days: 2, offsetMinutes: 0 });
    expect(usage.days).toMatchObject([
      { total_tokens: 10, simulated_tokens: 10, tasks: 0, task_seconds: 0, worker_cost: 0 },
      { total_tokens: 500, cost: 0.001, tasks: 3, task_seconds: 30, worker_cost: 3 },
    ]);
    expect(usage.by_user).toMatchObject([
      { user_id: 'eve', tokens: 510, runs: 2, cost: null, tasks: 3, worker_cost: 3 },
    ]);
    expect(usage.by_agent).toEqual([
      {
        agent: 'lead',
        tokens: 500,
        simulated_tokens: 0,
        runs: 1,
        cost: 0.001,
        tasks: 2,
        task_seconds: 20,
        worker_cost: 2,
      },
      {
        agent: 'g',
        tokens: 10,
        simulated_tokens: 10,
        runs: 1,
        cost: null,
        tasks: 0,
        task_seconds: 0,
        worker_cost: 0,
      },
      {
        agent: null,
        tokens: 0,
        simulated_tokens: 0,
        runs: 0,
        cost: 0,
        tasks: 1,
        task_seconds: 10,
        worker_cost: 1,
      },
    ]);
    expect(usage.by_model['switchyard-demo']).toMatchObject({ simulated: true, cost: null });
    expect(usage).toMatchObject({
      simulated_tokens: 10,
      total_tasks: 3,
      total_task_seconds: 30,
      total_worker_cost: 3,
      worker_currency: 'EUR',
    });
    await database.write(async (trx) => {
      await trx.deleteFrom('runs').where('user_id', '=', 'eve').execute();
      await trx.deleteFrom('run_usage').where('user_id', '=', 'eve').execute();
    });
  });

  it('say that a price is unknown, and never that it is zero', async () => {
    const own = await summaries().usage(bob, { days: 1, offsetMinutes: 0 });
    expect(own).toMatchObject({ total_cost: null, currency: null, costs: {}, unpriced_tokens: 77 });
    expect([own.days[0]?.cost, own.by_model.free?.cost]).toEqual([null, null]);

    const all = await summaries().usage(everybody, { days: 1, offsetMinutes: 0 });
    expect(all).toMatchObject({ total_cost: null, costs: { USD: 0.0024 }, unpriced_tokens: 77 });
    expect(all.by_user).toEqual([
      {
        user_id: 'ada',
        email: 'ada@example.com',
        tokens: 1100,
        simulated_tokens: 0,
        runs: 1,
        cost: 0.0024,
        ...noWork,
      },
      { user_id: 'bob', email: null, tokens: 77, simulated_tokens: 0, runs: 1, cost: null, ...noWork },
    ]);
  });

  it('never add up different currencies', async () => {
    const mixed = readModels({
      fast: { pricing: { ...models[0]?.pricing, currency: 'EUR' } },
      slow: models[1],
    });
    const { total_cost, currency, costs, by_model } = await summaries(mixed).usage(ada, {
      days: 14,
      offsetMinutes: 0,
    });
    expect([total_cost, currency]).toEqual([null, null]);
    expect(costs).toEqual({ EUR: 0.0039, USD: 0.001 });
    expect(by_model.slow).toMatchObject({ cost: 0.001, currency: 'USD' });
  });

  it('count what exists now, and include the tokens of deleted runs', async () => {
    await end(
      'r6',
      'ada',
      '2026-03-10T12:00:00.000Z',
      { slow: { input: 1000, output: 0 } },
      { status: 'error' },
    );
    const before = await summaries().stats(ada);
    expect(before).toEqual({
      total_runs: 5,
      active_runs: 0,
      failed_runs: 1,
      total_threads: 0,
      total_agents: 2,
      total_tokens: 1_002_860,
      total_cost: 2.0089,
      currency: 'USD',
    });
    await database.write((trx) => trx.deleteFrom('runs').where('run_id', '=', 'r6').execute());
    expect(await summaries().stats(ada)).toEqual({ ...before, total_runs: 4, failed_runs: 0 });
    expect(await summaries().stats(everybody)).toMatchObject({
      total_runs: 5,
      total_cost: null,
      currency: null,
    });
  });

  it('list runs with their costs, and hide what was said from other users', async () => {
    const { runs, has_more } = await summaries().runs(ada, { ...firstPage, limit: 2, offset: 1 });
    expect(runs.map(({ run_id, cost }) => [run_id, cost])).toEqual([
      ['r3', 0],
      ['r2', 0.0025],
    ]);
    expect(has_more).toBe(true);
    expect(runs[0]).toMatchObject({ duration_seconds: 2.5, error: 'a secret', user_id: 'ada' });

    const all = await summaries().runs(everybody, firstPage);
    expect(all.has_more).toBe(false);
    expect(all.runs.map(({ run_id }) => run_id)).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
    expect(new Set(all.runs.map(({ error }) => error))).toEqual(new Set([null]));
    expect((await summaries().runs(bob, { ...firstPage, filter: { status: 'error' } })).runs).toEqual([]);
  });

  it('list the next runs after a page, also when a new run has come meanwhile', async () => {
    const first = await summaries().runs(ada, { ...firstPage, limit: 2 });
    expect(first.runs.map(({ run_id }) => run_id)).toEqual(['r5', 'r3']);
    await end('r7', 'ada', '2026-03-10T13:00:00.000Z', {});
    const after = runAt(first.next_cursor ?? '');
    const next = await summaries().runs(ada, { ...firstPage, limit: 2, after });
    expect(next.runs.map(({ run_id }) => run_id)).toEqual(['r2', 'r1']);
    expect(next.next_cursor).toBeNull();
    await database.write((trx) => trx.deleteFrom('runs').where('run_id', '=', 'r7').execute());
  });

  it('list the runs of an agent, a model or a thread', async () => {
    const row = { assistant_id: 'painter', model_name: 'slow', thread_id: 'canvas' };
    await end('r8', 'ada', '2026-03-10T13:00:00.000Z', {}, row);
    const found = async (filter: RunFilter) =>
      (await summaries().runs(ada, { ...firstPage, filter })).runs.map(({ run_id }) => run_id);
    expect(await found({ agent: 'painter' })).toEqual(['r8']);
    expect(await found({ model: 'slow' })).toEqual(['r8']);
    expect(await found({ thread_id: 'canvas' })).toEqual(['r8']);
    expect(await found({ agent: 'painter', model: 'fast' })).toEqual([]);
    expect((await summaries().runs(bob, { ...firstPage, filter: { agent: 'painter' } })).runs).toEqual([]);
    await database.write((trx) => trx.deleteFrom('runs').where('run_id', '=', 'r8').execute());
  });

  it('tell the wait of a run apart from its work, and the demo model from others', async () => {
    await end(
      'r9',
      'ada',
      '2026-03-10T13:00:00.000Z',
      { 'switchyard-demo': { input: 5, output: 5 } },
      { created_at: '2026-03-10T12:59:00.000Z', started_at: '2026-03-10T12:59:50.000Z' },
    );
    const [run] = (await summaries().runs(ada, { ...firstPage, limit: 1 })).runs;
    expect(run).toMatchObject({ queue_seconds: 50, duration_seconds: 10, simulated: true, cost: null });
    await database.write((trx) => trx.deleteFrom('runs').where('run_id', '=', 'r9').execute());
  });
}
