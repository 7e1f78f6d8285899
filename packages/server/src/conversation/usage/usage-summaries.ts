import type {
  ConsoleRun,
  ConsoleRunPage,
  ConsoleStats,
  ConsoleUsage,
  WorkflowUsage,
} from '@switchyard/contract/conversation/console';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { userScope } from '../user-scope.ts';
import type { CostSum, ModelPrices } from './costs.ts';
import { cursorAt } from './run-page.ts';
import { modelUsageIn } from './run-usage.ts';
import { dateOf, lastDays } from './usage-days.ts';
import type {
  AgentUsageSum,
  DayUsageSum,
  ListedRun,
  ModelUsageSum,
  RunPage,
  UsageRange,
  UsageStore,
  UserUsageSum,
} from './usage-store.ts';

/** Tasks on the pool that agents asked for and that ended in a range; of one user, or of all for null. */
export type WorkflowUsageOf = (
  userId: string | null,
  range: UsageRange & { offsetMinutes: number },
) => Promise<PoolUsage>;

/** The time of workers that tasks have used. */
export interface WorkerUsage {
  tasks: number;
  seconds: number;
  /** Null when workers have no price. */
  cost: number | null;
}

export interface PoolUsage {
  /** The tasks that took longest. */
  workflows: WorkflowUsage[];
  /** By days since 1970. */
  byDay: ReadonlyMap<number, WorkerUsage>;
  byUser: ReadonlyMap<string, WorkerUsage>;
  byAgent: ReadonlyMap<string, WorkerUsage>;
  total: WorkerUsage;
  currency: string | null;
}

/** The e-mail addresses of accounts, by their ids. */
export type EmailsOf = (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export interface UsageSummariesOptions {
  store: UsageStore;
  prices: ModelPrices;
  /** Null when this gateway has no pool. */
  workflowUsage: WorkflowUsageOf | null;
  countAgents: (owner: Owner) => Promise<number>;
  emailsOf: EmailsOf;
  /** Summaries need a database that lasts. */
  isAvailable: boolean;
  clock: Clock;
}

/**
 * The numbers of one user. `isEverybody` is set for an administrator who asks for all users; those numbers reveal nothing that
 * was said.
 */
export interface Asker {
  owner: Owner;
  isEverybody: boolean;
}

const everybody: Owner = { system: 'numbers of all users for an administrator' };
/** This many users are listed, and as many agents. */
const maxUsers = 100;
const noWork: WorkerUsage = { tasks: 0, seconds: 0, cost: null };
const noPool: PoolUsage = {
  workflows: [],
  byDay: new Map(),
  byUser: new Map(),
  byAgent: new Map(),
  total: noWork,
  currency: null,
};
const ever: UsageRange = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

/** The usage and the cost of runs. */
export class UsageSummaries {
  readonly #options: UsageSummariesOptions;

  constructor(options: UsageSummariesOptions) {
    this.#options = options;
  }

  async stats(asker: Asker): Promise<ConsoleStats> {
    const { store, prices, countAgents } = this.#ready();
    const owner = ownerFor(asker);
    const [counts, models, agents] = await Promise.all([
      store.counts(owner),
      store.byModel(owner, ever),
      countAgents(asker.owner),
    ]);
    const sum = sumOf(prices, models);
    const { cost, currency } = sum.total();
    return {
      total_runs: counts.total,
      active_runs: counts.active,
      failed_runs: counts.failed,
      total_threads: counts.threads,
      total_agents: agents,
      total_tokens: tokensOf(models),
      total_cost: cost,
      currency,
    };
  }

  async runs(asker: Asker, { limit, ...page }: RunPage): Promise<ConsoleRunPage> {
    const { store } = this.#ready();
    const rows = await store.runs(ownerFor(asker), { ...page, limit: limit + 1 });
    const runs = rows.slice(0, limit).map((row) => this.#viewRun(row, asker));
    const last = runs.at(-1);
    const hasMore = rows.length > limit;
    return { runs, has_more: hasMore, next_cursor: hasMore && last ? cursorAt(last.run_id) : null };
  }

  async usage(
    asker: Asker,
    { days, offsetMinutes }: { days: number; offsetMinutes: number },
  ): Promise<ConsoleUsage> {
    const { store, prices, clock, workflowUsage, emailsOf } = this.#ready();
    const owner = ownerFor(asker);
    const range = lastDays(clock(), { days, offsetMinutes });
    const [{ byDay, byUser, byAgent }, pool] = await Promise.all([
      store.sums(owner, range, offsetMinutes),
      workflowUsage?.(userScope(owner), { ...range, offsetMinutes }) ?? noPool,
    ]);
    const own = userScope(asker.owner);
    const used = asker.isEverybody ? byUser : byDay.map((row) => ({ ...row, user_id: own ?? '' }));
    const users = topUsers(prices, used, pool);
    const emails = await emailsOf(users.map(({ user_id }) => user_id));
    const all = sumOf(prices, byDay);
    const { cost, currency } = all.total();
    return {
      days: range.numbers.map((day) => viewDay(day, { prices, rows: byDay, pool })),
      by_model: byModel(prices, byDay),
      by_user: users.map((user) => ({ ...user, email: emails.get(user.user_id) ?? null })),
      by_agent: topAgents(prices, byAgent, pool),
      by_workflow: pool.workflows,
      total_tokens: tokensOf(byDay),
      simulated_tokens: simulatedTokensOf(prices, byDay),
      total_runs: runsOf(byDay),
      total_tasks: pool.total.tasks,
      total_task_seconds: pool.total.seconds,
      total_worker_cost: pool.total.cost,
      worker_currency: pool.currency,
      total_cost: cost,
      currency,
      costs: all.amounts(),
      unpriced_tokens: all.unpricedTokens,
    };
  }

  #viewRun(row: ListedRun, { isEverybody }: Asker): ConsoleRun {
    const { started_at, ended_at, display_name, token_usage_by_model, error, ...counted } = row;
    const { total_input_tokens: input_tokens, total_output_tokens: output_tokens, ...shown } = counted;
    const { prices } = this.#options;
    const sum = prices.newSum();
    const models = Object.entries(modelUsageIn(token_usage_by_model));
    for (const [model, usage] of models) sum.add(model, { cache_read_tokens: 0, ...usage });
    const endMs = ended_at === null ? this.#options.clock() : Date.parse(ended_at);
    return {
      ...shown,
      thread_title: isEverybody ? null : display_name,
      queue_seconds: secondsBetween(row.created_at, started_at === null ? endMs : Date.parse(started_at)),
      duration_seconds: started_at === null ? null : secondsBetween(started_at, endMs),
      input_tokens,
      output_tokens,
      simulated: models.some(([model]) => prices.isSimulated(model)),
      ...sum.total(),
      error: isEverybody ? null : error,
    };
  }

  #ready(): UsageSummariesOptions {
    if (!this.#options.isAvailable) throw new AppError('console_unavailable');
    return this.#options;
  }
}

function secondsBetween(from: string, toMs: number): number {
  return Math.max(0, toMs - Date.parse(from)) / 1000;
}

function ownerFor({ owner, isEverybody }: Asker): Owner {
  return isEverybody ? everybody : owner;
}

/** A day, user or agent without tasks costs nothing when workers have a price. */
function workIn(
  parts: ReadonlyMap<unknown, WorkerUsage>,
  key: unknown,
  { currency }: PoolUsage,
): { tasks: number; task_seconds: number; worker_cost: number | null } {
  const { tasks, seconds, cost } = parts.get(key) ?? { ...noWork, cost: currency === null ? null : 0 };
  return { tasks, task_seconds: seconds, worker_cost: cost };
}

function viewDay(
  day: number,
  { prices, rows, pool }: { prices: ModelPrices; rows: readonly DayUsageSum[]; pool: PoolUsage },
): ConsoleUsage['days'][number] {
  const ofDay = rows.filter((row) => row.day === day);
  return {
    date: dateOf(day),
    total_tokens: tokensOf(ofDay),
    input_tokens: total(ofDay, 'input_tokens'),
    output_tokens: total(ofDay, 'output_tokens'),
    cache_read_tokens: total(ofDay, 'cache_read_tokens'),
    simulated_tokens: simulatedTokensOf(prices, ofDay),
    runs: runsOf(ofDay),
    cost: sumOf(prices, ofDay).total().cost,
    ...workIn(pool.byDay, day, pool),
  };
}

function byModel(prices: ModelPrices, rows: readonly ModelUsageSum[]): ConsoleUsage['by_model'] {
  const models = [...new Set(rows.map(({ model }) => model))].filter((model) => model !== '').sort();
  return Object.fromEntries(
    models.map((model) => {
      const ofModel = rows.filter((row) => row.model === model);
      const used = {
        tokens: tokensOf(ofModel),
        input_tokens: total(ofModel, 'input_tokens'),
        output_tokens: total(ofModel, 'output_tokens'),
        cache_read_tokens: total(ofModel, 'cache_read_tokens'),
        runs: total(ofModel, 'runs'),
      };
      const simulated = prices.isSimulated(model);
      return [model, { ...used, ...sumOf(prices, ofModel).total(), simulated }];
    }),
  );
}

function topUsers(
  prices: ModelPrices,
  rows: readonly UserUsageSum[],
  pool: PoolUsage,
): Omit<ConsoleUsage['by_user'][number], 'email'>[] {
  return top(
    grouped(rows, ({ user_id }) => user_id, pool.byUser),
    (user_id, used) => ({
      user_id,
      ...totalsOf(prices, used),
      ...workIn(pool.byUser, user_id, pool),
    }),
  );
}

function topAgents(
  prices: ModelPrices,
  rows: readonly AgentUsageSum[],
  pool: PoolUsage,
): ConsoleUsage['by_agent'] {
  return top(
    grouped(rows, ({ agent }) => agent, pool.byAgent),
    (agent, used) => ({
      agent: agent === '' ? null : agent,
      ...totalsOf(prices, used),
      ...workIn(pool.byAgent, agent, pool),
    }),
  );
}

/** The rows of each key; a key that only used workers has none. */
function grouped<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  work: ReadonlyMap<string, unknown>,
): Map<string, Row[]> {
  const groups = new Map<string, Row[]>([...work.keys()].map((key) => [key, []]));
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

function totalsOf(prices: ModelPrices, rows: readonly (ModelUsageSum & { firsts: number })[]) {
  return {
    tokens: tokensOf(rows),
    simulated_tokens: simulatedTokensOf(prices, rows),
    runs: runsOf(rows),
    cost: sumOf(prices, rows).total().cost,
  };
}

/** Those who used most. */
function top<Row, View extends { tokens: number; task_seconds: number }>(
  groups: ReadonlyMap<string, Row[]>,
  view: (key: string, rows: Row[]) => View,
): View[] {
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, rows]) => view(key, rows))
    .sort((a, b) => b.tokens - a.tokens || b.task_seconds - a.task_seconds)
    .slice(0, maxUsers);
}

function sumOf(prices: ModelPrices, rows: readonly ModelUsageSum[]): CostSum {
  const sum = prices.newSum();
  for (const row of rows) sum.add(row.model, row);
  return sum;
}

function tokensOf(rows: readonly ModelUsageSum[]): number {
  return total(rows, 'tokens');
}

function simulatedTokensOf(prices: ModelPrices, rows: readonly ModelUsageSum[]): number {
  return tokensOf(rows.filter(({ model }) => prices.isSimulated(model)));
}

/** Counts each run once, however many models it called. */
function runsOf(rows: readonly { firsts: number }[]): number {
  return rows.reduce((sum, { firsts }) => sum + firsts, 0);
}

function total(
  rows: readonly ModelUsageSum[],
  column: 'tokens' | 'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'runs',
): number {
  return rows.reduce((sum, row) => sum + row[column], 0);
}
