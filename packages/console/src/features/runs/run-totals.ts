import type { Run } from '@switchyard/contract/conversation/run';
import type { TimelineSpan } from '../../kit/timeline/span.ts';

export interface RunTotals {
  /** Null while it waits or works. */
  queueMs: number;
  workMs: number | null;
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
  currency: string | null;
  isSimulated: boolean;
  tasks: number;
  workerSeconds: number;
  workerCost: number | null;
  workerCurrency: string | null;
}

/** Numbers of the run and of its tasks. A part without a price leaves the whole without one. */
export function totalsOf(run: Run, spans: readonly TimelineSpan[], nowMs: number): RunTotals {
  const root = spans.find(({ kind }) => kind === 'run');
  const models = spans.filter(({ kind }) => kind === 'model');
  const tasks = spans.filter(({ kind }) => kind === 'task');
  const startedMs = run.started_at === null ? null : Date.parse(run.started_at);
  const endMs = run.ended_at === null ? nowMs : Date.parse(run.ended_at);
  const prices = tasks.map(({ cost }) => cost);
  return {
    queueMs: Math.max(0, (startedMs ?? endMs) - Date.parse(run.created_at)),
    workMs: startedMs === null ? null : Math.max(0, endMs - startedMs),
    inputTokens: run.total_input_tokens,
    outputTokens: run.total_output_tokens,
    cost: root?.cost ?? null,
    currency: root?.currency ?? null,
    isSimulated: models.some(({ simulated }) => simulated),
    tasks: tasks.length,
    workerSeconds: tasks.reduce((sum, { workerSeconds }) => sum + (workerSeconds ?? 0), 0),
    workerCost: prices.includes(null)
      ? null
      : prices.length === 0
        ? null
        : prices.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    workerCurrency: tasks.find(({ currency }) => currency !== null)?.currency ?? null,
  };
}
