import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RunStatus } from '@switchyard/contract/conversation/run';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Owner } from '../../lib/owner.ts';
import { dayMs, minuteMs } from '../../lib/time-units.ts';
import type { BoundStatement } from '../../platform/database/bound-statement.ts';
import type { Database } from '../../platform/database/database.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { ConversationTables, RunRow, RunUsageRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';
import type { UsedTokens } from './costs.ts';
import { usageRowsOf } from './run-usage.ts';

export interface UsageRange {
  fromMs: number;
  /** The end of the range, which is not part of it. */
  toMs: number;
}

export interface ModelUsageSum extends UsedTokens {
  model: string;
  /** Counts the runs that called this model. */
  runs: number;
}

export interface DayUsageSum extends ModelUsageSum {
  /** Days since 1970 on a clock with the given offset. */
  day: number;
  /** Counts each run once, in one of its rows. */
  firsts: number;
}

export interface UserUsageSum extends ModelUsageSum {
  user_id: string;
  firsts: number;
}

export interface AgentUsageSum extends ModelUsageSum {
  /** As the requests of the runs named it; empty when the run was deleted before agents were counted. */
  agent: string;
  firsts: number;
}

/** The usage in a range, by model and one thing more. */
export interface UsageSums {
  byDay: DayUsageSum[];
  byUser: UserUsageSum[];
  byAgent: AgentUsageSum[];
}

export interface RunCounts {
  total: number;
  active: number;
  failed: number;
  threads: number;
}

const runColumns = [
  'run_id',
  'thread_id',
  'user_id',
  'assistant_id',
  'status',
  'model_name',
  'created_at',
  'updated_at',
  'started_at',
  'ended_at',
  'total_tokens',
  'total_input_tokens',
  'total_output_tokens',
  'message_count',
  'token_usage_by_model',
  'error',
] as const;

export interface RunFilter {
  status?: RunStatus | undefined;
  agent?: string | undefined;
  model?: string | undefined;
  thread_id?: string | undefined;
}

export interface RunPage {
  limit: number;
  offset: number;
  /** The last run of the page before; null for the first page. */
  after: string | null;
  filter: RunFilter;
}

export type ListedRun = Pick<RunRow, (typeof runColumns)[number]> & { display_name: string | null };

/** Part of the unit that ends a run. */
export function insertsOfUsage(run: RunRow): BoundStatement[] {
  return newUsage.bind(usageRowsOf(run));
}

const newUsage = new PreparedRows(
  [
    'run_id',
    'model',
    'user_id',
    'ended_ms',
    'first_of_run',
    'calls',
    'tokens',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'agent',
  ],
  (db: Kysely<ConversationTables>, rows: RunUsageRow[]) => db.insertInto('run_usage').values(rows),
);

type UsedRows = SelectQueryBuilder<ConversationTables, 'run_usage', object>;

/** One statement sums up this many rows, which takes about 10 ms. */
const usualRowsAtOnce = 5_000;

/** The runs that exist, and their usage. */
export class UsageStore {
  readonly #database: Database<ConversationTables>;
  readonly #rowsAtOnce: number;

  constructor(
    database: Database<ConversationTables>,
    { rowsAtOnce = usualRowsAtOnce }: { rowsAtOnce?: number } = {},
  ) {
    this.#database = database;
    this.#rowsAtOnce = rowsAtOnce;
  }

  /** Counts a call of a model outside of any run, as a run of its own. */
  async addCall(call: RunUsageRow): Promise<void> {
    await this.#database.write((trx) => newUsage.run(trx, [call]));
  }

  /** Counts what exists now. */
  async counts(owner: Owner): Promise<RunCounts> {
    const scope = userScope(owner);
    const mine = scope === null ? sql<boolean>`1 = 1` : sql<boolean>`user_id = ${scope}`;
    const count = sql<number>`count(*)`.as('count');
    const [total, active, failed, threads] = await this.#database.snapshot(({ read }) => {
      const runs = read.selectFrom('runs').select(count).where(mine);
      return Promise.all([
        runs.executeTakeFirstOrThrow(),
        runs.where('status', 'in', ['pending', 'running']).executeTakeFirstOrThrow(),
        runs.where('status', 'in', ['error', 'timeout']).executeTakeFirstOrThrow(),
        read.selectFrom('threads').select(count).where(mine).executeTakeFirstOrThrow(),
      ]);
    });
    return { total: total.count, active: active.count, failed: failed.count, threads: threads.count };
  }

  /** Newest first. */
  async runs(
    owner: Owner,
    { limit, offset, after, filter: { status, agent, model, thread_id } }: RunPage,
  ): Promise<ListedRun[]> {
    const scope = userScope(owner);
    return this.#database.read
      .selectFrom((from) => {
        let page = from.selectFrom('runs').select('run_id');
        if (scope !== null) page = page.where('user_id', '=', scope);
        if (status !== undefined) page = page.where('status', '=', status);
        if (agent !== undefined) page = page.where('assistant_id', '=', agent);
        if (model !== undefined) page = page.where('model_name', '=', model);
        if (thread_id !== undefined) page = page.where('thread_id', '=', thread_id);
        if (after !== null) page = page.where('run_id', '<', after);
        return page.orderBy('run_id', 'desc').limit(limit).offset(offset).as('page');
      })
      .innerJoin('runs', 'runs.run_id', 'page.run_id')
      .leftJoin('threads', 'threads.thread_id', 'runs.thread_id')
      .select(runColumns.map((column) => `runs.${column}` as const))
      .select('threads.display_name')
      .orderBy('runs.run_id', 'desc')
      .execute();
  }

  /**
   * Includes runs that were deleted since. The days, users and agents are summed up from the same rows, so a run that ends meanwhile
   * is in all three or in none.
   */
  async sums(owner: Owner, range: UsageRange, offsetMinutes: number): Promise<UsageSums> {
    const day = sql<number>`(${sql.ref('ended_ms')} + ${sql.lit(offsetMinutes * minuteMs)}) / ${sql.lit(dayMs)}`;
    const byDay = new Map<string, DayUsageSum>();
    const byUser = new Map<string, UserUsageSum>();
    const byAgent = new Map<string, AgentUsageSum>();
    for await (const piece of this.#pieces(owner, range)) {
      const rows = await piece
        .select(['model', 'user_id', 'agent', day.as('day')])
        .select([sumOf('first_of_run').as('firsts'), ...sums()])
        .groupBy(['model', 'user_id', 'agent', day])
        .execute();
      for (const { day: ofDay, user_id, agent, ...sum } of rows) {
        add(byDay, { ...sum, day: ofDay });
        add(byUser, { ...sum, user_id });
        add(byAgent, { ...sum, agent });
      }
    }
    return { byDay: [...byDay.values()], byUser: [...byUser.values()], byAgent: [...byAgent.values()] };
  }

  async byModel(owner: Owner, range: UsageRange): Promise<ModelUsageSum[]> {
    const all = new Map<string, ModelUsageSum>();
    for await (const piece of this.#pieces(owner, range)) {
      const rows = piece.select(['model', ...sums()]).groupBy('model');
      for (const sum of await rows.execute()) add(all, sum);
    }
    return [...all.values()];
  }

  /** Works in small steps, because SQLite runs in this thread and other work needs its turn in between. */
  async *#pieces(owner: Owner, range: UsageRange): AsyncGenerator<UsedRows> {
    for (let fromMs = range.fromMs; fromMs < range.toMs; ) {
      const toMs = await this.#endOfPiece(owner, { ...range, fromMs });
      yield this.#used(owner, { fromMs, toMs });
      fromMs = toMs;
      await nextTurn();
    }
  }

  async #endOfPiece(owner: Owner, range: UsageRange): Promise<number> {
    const last = await this.#used(owner, range)
      .select('ended_ms')
      .orderBy('ended_ms')
      .offset(this.#rowsAtOnce - 1)
      .limit(1)
      .executeTakeFirst();
    return last ? last.ended_ms + 1 : range.toMs;
  }

  #used(owner: Owner, { fromMs, toMs }: UsageRange): UsedRows {
    const scope = userScope(owner);
    const rows = this.#database.read
      .selectFrom('run_usage')
      .where('ended_ms', '>=', fromMs)
      .where('ended_ms', '<', toMs);
    return scope === null ? rows : rows.where('user_id', '=', scope);
  }
}

/** Adds to the sum of the same day, user, agent and model. */
function add<Sum extends ModelUsageSum>(all: Map<string, Sum>, sum: Sum): void {
  const { model, day, user_id, agent } = sum as Partial<DayUsageSum & UserUsageSum & AgentUsageSum>;
  const key = JSON.stringify([model, day, user_id, agent]);
  const before = (all.get(key) ?? {}) as Record<string, unknown>;
  const numbers = [...counters, 'runs', 'firsts'].filter((name) => name in sum && name in before);
  const added = numbers.map((name) => [name, Number(before[name]) + Number(sum[name as keyof Sum])]);
  all.set(key, { ...sum, ...Object.fromEntries(added) });
}

const counters = ['tokens', 'input_tokens', 'output_tokens', 'cache_read_tokens'] as const;

function sums() {
  return [...counters.map((column) => sumOf(column).as(column)), sql<number>`count(*)`.as('runs')] as const;
}

/** Without the cast, Postgres returns a decimal. */
function sumOf(column: (typeof counters)[number] | 'first_of_run') {
  return sql<number>`cast(sum(${sql.ref(column)}) as bigint)`;
}
