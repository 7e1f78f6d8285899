import type {
  ConsoleRun,
  ConsoleStats,
  ConsoleUsage,
  WorkflowUsage,
} from '@switchyard/contract/conversation/console';
import type { RunStatus } from '@switchyard/contract/conversation/run';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { userScope } from '../user-scope.ts';
import type { CostSum, ModelPrices } from './costs.ts';
import { modelUsageIn } from './run-usage.ts';
import { dateOf, lastDays } from './usage-days.ts';
import type {
  DayUsageSum,
  ListedRun,
  ModelUsageSum,
  UsageRange,
  UsageStore,
  UserUsageSum,
} from './usage-store.ts';

/** Tasks on the pool that agents asked for and that ended in a range; of one user, or of all for null. */
export type WorkflowUsageOf = (userId: string | null, range: UsageRange) => Promise<PoolUsage>;

export interface PoolUsage {
  /** The tasks that took longest. */
  workflows: WorkflowUsage[];
  tasks: number;
  seconds: number;
}

interface UsageSummariesOptions {
  store: UsageStore;
  prices: ModelPrices;
  /** Null when this gateway has no pool. */
  workflowUsage: WorkflowUsageOf | null;
  countAgents: (owner: Owner) => Promise<number>;
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
const maxUsers = 100;
const ever: UsageRange = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

/** What runs have used and cost. */
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

  async runs(
    asker: Asker,
    { limit, ...page }: { status?: RunStatus | undefined; limit: number; offset: number },
  ): Promise<{ runs: ConsoleRun[]; has_more: boolean }> {
    const { store } = this.#ready();
    const rows = await store.runs(ownerFor(asker), { ...page, limit: limit + 1 });
    const runs = rows.slice(0, limit).map((row) => this.#viewRun(row, asker));
    return { runs, has_more: rows.length > limit };
  }

  async usage(
    asker: Asker,
    { days, offsetMinutes }: { days: number; offsetMinutes: number },
  ): Promise<ConsoleUsage> {
    const { store, prices, clock, workflowUsage } = this.#ready();
    const owner = ownerFor(asker);
    const range = lastDays(clock(), { days, offsetMinutes });
    const [byDay, byUser, pool] = await Promise.all([
      store.byDay(owner, range, offsetMinutes),
      asker.isEverybody ? store.byUser(owner, range) : null,
      workflowUsage?.(userScope(owner), range) ?? { workflows: [], tasks: 0, seconds: 0 },
    ]);
    const own = userScope(asker.owner);
    const used = byUser ?? byDay.map((row) => ({ ...row, user_id: own ?? '' }));
    const all = sumOf(prices, byDay);
    const { cost, currency } = all.total();
    return {
      days: range.numbers.map((day) => viewDay(prices, day, byDay)),
      by_model: byModel(prices, byDay),
      by_user: topUsers(prices, used),
      by_workflow: pool.workflows,
      total_tokens: tokensOf(byDay),
      total_runs: runsOf(byDay),
      total_tasks: pool.tasks,
      total_task_seconds: pool.seconds,
      total_cost: cost,
      currency,
      costs: all.amounts(),
      unpriced_tokens: all.unpricedTokens,
    };
  }

  #viewRun(row: ListedRun, { isEverybody }: Asker): ConsoleRun {
    const { started_at, ended_at, display_name, token_usage_by_model, error, ...shown } = row;
    const sum = this.#options.prices.newSum();
    for (const [model, usage] of Object.entries(modelUsageIn(token_usage_by_model))) {
      sum.add(model, { cache_read_tokens: 0, ...usage });
    }
    const endMs = ended_at === null ? this.#options.clock() : Date.parse(ended_at);
    return {
      ...shown,
      thread_title: isEverybody ? null : display_name,
      duration_seconds: started_at === null ? null : Math.max(0, endMs - Date.parse(started_at)) / 1000,
      ...sum.total(),
      error: isEverybody ? null : error,
    };
  }

  #ready(): UsageSummariesOptions {
    if (!this.#options.isAvailable) throw new AppError('console_unavailable');
    return this.#options;
  }
}

function ownerFor({ owner, isEverybody }: Asker): Owner {
  return isEverybody ? everybody : owner;
}

function viewDay(
  prices: ModelPrices,
  day: number,
  rows: readonly DayUsageSum[],
): ConsoleUsage['days'][number] {
  const ofDay = rows.filter((row) => row.day === day);
  return {
    date: dateOf(day),
    total_tokens: tokensOf(ofDay),
    input_tokens: total(ofDay, 'input_tokens'),
    output_tokens: total(ofDay, 'output_tokens'),
    runs: runsOf(ofDay),
    cost: sumOf(prices, ofDay).total().cost,
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
      return [model, { ...used, ...sumOf(prices, ofModel).total() }];
    }),
  );
}

function topUsers(prices: ModelPrices, rows: readonly UserUsageSum[]): ConsoleUsage['by_user'] {
  const ofUser = new Map<string, UserUsageSum[]>();
  for (const row of rows) ofUser.set(row.user_id, [...(ofUser.get(row.user_id) ?? []), row]);
  return [...ofUser]
    .map(([user_id, used]) => ({
      user_id,
      tokens: tokensOf(used),
      runs: runsOf(used),
      cost: sumOf(prices, used).total().cost,
    }))
    .sort((a, b) => b.tokens - a.tokens || (a.user_id < b.user_id ? -1 : 1))
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
