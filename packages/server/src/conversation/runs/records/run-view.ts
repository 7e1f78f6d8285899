import type { Run } from '@switchyard/contract/conversation/run';
import { countColumns } from '../../run-columns.ts';
import type { RunRow } from '../../tables.ts';
import { kwargsIn } from './run-kwargs.ts';
import type { RunKwargs } from './run-request.ts';

/** A run as its owner sees it; includes the request when the caller asks for it. */
export function viewRun(row: RunRow, kwargs?: string): Run {
  const { metadata, token_usage_by_model } = row;
  const fields = Object.fromEntries(shownColumns.map((column) => [column, row[column]]));
  return {
    ...(fields as Pick<RunRow, (typeof shownColumns)[number]>),
    metadata: JSON.parse(metadata) as Run['metadata'],
    token_usage_by_model: JSON.parse(token_usage_by_model) as Run['token_usage_by_model'],
    ...(kwargs !== undefined && { kwargs: viewKwargs(kwargsIn(kwargs, row)) }),
  };
}

const shownColumns = [
  'run_id',
  'thread_id',
  'assistant_id',
  'graph_id',
  'status',
  'multitask_strategy',
  'attempt',
  'follow_up_to_run_id',
  'model_name',
  'error',
  'stop_reason',
  ...countColumns,
  'created_at',
  'updated_at',
  'run_at',
  'started_at',
  'ended_at',
] as const satisfies (keyof RunRow)[];

export function selected(run: Run, fields: readonly (keyof Run)[]): Partial<Run> {
  const wanted = new Set<string>(fields);
  return Object.fromEntries(Object.entries(run).filter(([field]) => wanted.has(field)));
}

function viewKwargs({
  config,
  context,
  auth_user: _authUser,
  ...kwargs
}: RunKwargs): Record<string, unknown> {
  return { ...kwargs, config: withoutSecrets(config), context: withoutSecrets(context) };
}

const secretName = /api[_-]?key|token|secret|password|passwd|authorization|credential|cookie/i;

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && secretName.test(key) ? '***' : withoutSecrets(inner),
    ]),
  );
}
