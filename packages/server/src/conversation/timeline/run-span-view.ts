import type { RunSpan, SpanState } from '@switchyard/contract/conversation/timeline';
import type { ModelUsage } from '../journal/run-totals.ts';
import type { RunSpanRow } from '../tables.ts';
import type { ModelPrices } from '../usage/costs.ts';
import type { TimedRun } from './run-timeline-store.ts';

const noLinks: RunSpan['links'] = {
  tool_call_id: null,
  task_id: null,
  instance_id: null,
  instance_name: null,
  node_id: null,
};

/** A span that uses neither a model nor a worker. */
const plainSpan = {
  name: null,
  attempt: null,
  tokens: null,
  cost: null,
  currency: null,
  simulated: false,
  worker_seconds: null,
  links: noLinks,
} as const satisfies Partial<RunSpan>;

/** The run itself, and the time before it began. */
export function spansOfRun(run: TimedRun, prices: ModelPrices): RunSpan[] {
  const { run_id: id, created_at, started_at, ended_at } = run;
  const state = runState(run);
  return [
    {
      ...plainSpan,
      id,
      parent_id: null,
      kind: 'run',
      name: run.assistant_id,
      start: created_at,
      end: ended_at,
      state,
      ...(ended_at !== null && usageOf(run.token_usage_by_model, prices)),
    },
    {
      ...plainSpan,
      // Its place is before the first call, which may begin in the same millisecond.
      id: `${id}.0`,
      parent_id: id,
      kind: 'queue',
      start: created_at,
      // A run that was cancelled before it began waited until then.
      end: started_at ?? ended_at,
      state: started_at !== null ? 'success' : ended_at === null ? 'waiting' : state,
    },
  ];
}

/** A model call, a tool call or a sub-agent. What a run left open ended with it. */
export function spanOfRow(row: RunSpanRow, { run, prices }: { run: TimedRun; prices: ModelPrices }): RunSpan {
  const isLeft = row.ended_at === null && run.ended_at !== null;
  return {
    ...plainSpan,
    id: row.span_id,
    parent_id: row.parent_id ?? row.run_id,
    kind: row.kind,
    name: row.name,
    attempt: row.attempt,
    start: row.started_at,
    end: row.ended_at ?? run.ended_at,
    state: isLeft ? 'interrupted' : row.state,
    ...(row.usage !== null && usageOf(row.usage, prices)),
    links: { ...noLinks, tool_call_id: row.tool_call_id, task_id: row.task_id },
    simulated:
      row.kind === 'model' && row.name !== null ? prices.isSimulated(row.name) : isSimulated(row, prices),
  };
}

function isSimulated({ usage }: RunSpanRow, prices: ModelPrices): boolean {
  return usage !== null && Object.keys(modelsIn(usage)).some((model) => prices.isSimulated(model));
}

function usageOf(
  text: string,
  prices: ModelPrices,
): Pick<RunSpan, 'tokens' | 'cost' | 'currency' | 'simulated'> {
  const models = Object.entries(modelsIn(text));
  const sum = prices.newSum();
  const tokens = { total: 0, input: 0, output: 0, cache_read: 0, calls: 0 };
  for (const [model, usage] of models) {
    const { cache_read_tokens = 0 } = usage;
    sum.add(model, { ...usage, cache_read_tokens });
    tokens.total += usage.tokens;
    tokens.input += usage.input_tokens;
    tokens.output += usage.output_tokens;
    tokens.cache_read += cache_read_tokens;
    tokens.calls += usage.calls;
  }
  if (models.length === 0) return { tokens: null, cost: null, currency: null, simulated: false };
  return { tokens, ...sum.total(), simulated: models.some(([model]) => prices.isSimulated(model)) };
}

function modelsIn(text: string): Record<string, ModelUsage> {
  return JSON.parse(text) as Record<string, ModelUsage>;
}

function runState({ status, cancel_action }: TimedRun): SpanState {
  switch (status) {
    case 'pending':
      return 'waiting';
    case 'running':
    case 'success':
      return status;
    case 'interrupted':
      return cancel_action === null ? 'interrupted' : 'cancelled';
    default:
      return 'error';
  }
}
