import type { ContextUsage, ThreadTokenUsage } from '@switchyard/contract/conversation/run-events';
import type { Owner } from '../../lib/owner.ts';
import type { Journal } from './journal.ts';
import type { RecordedRunStore, RunTokens } from './recorded-run-store.ts';
import type { ModelUsage } from './run-totals.ts';

/** The tokens that the owner's runs of a thread have used, however the runs ended. */
export class ThreadTokens {
  readonly #options;

  constructor(options: {
    runs: Pick<RecordedRunStore, 'endedTokens' | 'openRuns'>;
    journal: Pick<Journal, 'totalsSoFar'>;
    contextUsage: (threadId: string) => Promise<ContextUsage | null>;
  }) {
    this.#options = options;
  }

  async usage(
    owner: Owner,
    threadId: string,
    { includeActive }: { includeActive: boolean },
  ): Promise<ThreadTokenUsage> {
    const ended = await this.#options.runs.endedTokens(owner, threadId);
    const open = includeActive ? await this.#openTokens(owner, threadId, ended) : [];
    const context_usage = await this.#options.contextUsage(threadId);
    return { ...sumOf(threadId, [...ended, ...open]), context_usage };
  }

  /**
   * Counts the tokens of runs that are under way from their stored events, because their rows are written at the end. A run that
   * ends meanwhile counts once.
   */
  async #openTokens(owner: Owner, threadId: string, ended: RunTokens[]): Promise<RunTokens[]> {
    const open = await this.#options.runs.openRuns(owner, threadId);
    const counted = new Set(ended.map(({ run_id }) => run_id));
    const running = open.filter(({ run_id }) => !counted.has(run_id));
    return Promise.all(
      running.map(async ({ run_id: runId, user_id: userId }) => ({
        run_id: runId,
        ...(await this.#options.journal.totalsSoFar({ threadId, runId, userId })),
      })),
    );
  }
}

function sumOf(threadId: string, runs: readonly RunTokens[]): Omit<ThreadTokenUsage, 'context_usage'> {
  const sum = (column: Exclude<keyof RunTokens, 'run_id' | 'token_usage_by_model'>): number =>
    runs.reduce((total, run) => total + run[column], 0);
  const models = new Map<string, { tokens: number; runs: number }>();
  for (const { token_usage_by_model: text } of runs) {
    for (const [model, { tokens }] of Object.entries(JSON.parse(text) as Record<string, ModelUsage>)) {
      const before = models.get(model) ?? { tokens: 0, runs: 0 };
      models.set(model, { tokens: before.tokens + tokens, runs: before.runs + 1 });
    }
  }
  return {
    thread_id: threadId,
    total_tokens: sum('total_tokens'),
    total_input_tokens: sum('total_input_tokens'),
    total_output_tokens: sum('total_output_tokens'),
    total_runs: runs.length,
    by_model: Object.fromEntries(models),
    by_caller: {
      lead_agent: sum('lead_agent_tokens'),
      subagent: sum('subagent_tokens'),
      middleware: sum('middleware_tokens'),
      unknown: sum('unknown_tokens'),
    },
  };
}
