import type { ModelUsage } from '../journal/run-totals.ts';
import type { RunRow, RunUsageRow } from '../tables.ts';

const nothing: ModelUsage = { tokens: 0, input_tokens: 0, output_tokens: 0, calls: 0 };

/** The usage rows of a run: one for each model, or one without a model. */
export function usageRowsOf({
  run_id,
  user_id,
  assistant_id: agent,
  ...run
}: Pick<RunRow, 'run_id' | 'user_id' | 'assistant_id' | 'ended_at' | 'token_usage_by_model'>): RunUsageRow[] {
  const models = Object.entries(modelUsageIn(run.token_usage_by_model));
  const counted = models.length === 0 ? [['', nothing] as const] : models;
  return counted.map(
    ([model, { calls, tokens, input_tokens, output_tokens, cache_read_tokens = 0 }], index) => ({
      run_id,
      model,
      user_id,
      ended_ms: Date.parse(run.ended_at ?? ''),
      first_of_run: index === 0 ? 1 : 0,
      calls,
      tokens,
      input_tokens,
      output_tokens,
      cache_read_tokens,
      agent,
    }),
  );
}

export function modelUsageIn(text: RunRow['token_usage_by_model']): Record<string, ModelUsage> {
  return JSON.parse(text) as Record<string, ModelUsage>;
}
