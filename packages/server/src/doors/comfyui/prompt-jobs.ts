import {
  type ListedPrompt,
  type PromptListStore,
  type PromptState,
  promptStates,
} from '../../dispatch/tasks/prompt-list-store.ts';
import { taskErrorOf } from '../../dispatch/tasks/task-messages.ts';
import { countIn, malformed } from './comfyui-endpoint-routes.ts';
import { promptFailure } from './prompt-frames.ts';
import { type NodeOutput, outputsOf } from './prompt-outputs.ts';
import type { PromptRecords } from './prompt-records.ts';
import { numberOf } from './prompts.ts';

interface PromptJobsOptions {
  lists: Pick<PromptListStore, 'list'>;
  records: Pick<PromptRecords, 'listed' | 'entryOf'>;
}

/** The number of jobs that the page asks for. */
const maxJobs = 200;
const maxOffset = 10_000;
/** No index knows how long prompts took, so the newest ones are put into that order. */
const maxByDuration = 1_000;

/** The prompts of an account as the jobs of one ComfyUI, which is how its page reads queue and history. */
export class PromptJobs {
  readonly #options: PromptJobsOptions;

  constructor(options: PromptJobsOptions) {
    this.#options = options;
  }

  async list(userId: string, query: Record<string, unknown>) {
    const { limit, offset, byDuration, ...page } = readQuery(query);
    const wanted = byDuration ? { limit: maxByDuration, offset: 0 } : { limit, offset };
    const order = byDuration ? 'desc' : page.order;
    const found = await this.#options.lists.list(userId, { ...page, order, ...wanted });
    const { rows } = found;
    const total = byDuration ? rows.length : found.total;
    const sign = page.order === 'asc' ? 1 : -1;
    const shown = byDuration
      ? rows.toSorted((a, b) => sign * (durationOf(a) - durationOf(b))).slice(offset, offset + limit)
      : rows;
    const pagination = { offset, limit, total, has_more: offset + shown.length < total };
    return { jobs: shown.map(jobOf), pagination };
  }

  /** Returns undefined for an id that no prompt of the account has. */
  async one(userId: string, promptId: string) {
    const row = await this.#options.records.listed(userId, promptId, promptStates);
    if (!row) return undefined;
    const { prompt, outputs, status } = await this.#options.records.entryOf(row);
    const [, , graph, extraData] = prompt;
    return {
      ...jobOf(row),
      outputs,
      ...(row.phase === 'ended' && { execution_status: status }),
      workflow: { prompt: graph, extra_data: extraData },
    };
  }
}

function readQuery({ status, workflow_id: workflowId, sort_by: by, ...query }: Record<string, unknown>) {
  if (by !== undefined && by !== 'created_at' && by !== 'execution_duration')
    throw malformed('sort_by must be created_at or execution_duration');
  const { sort_order: order = 'desc' } = query;
  if (order !== 'asc' && order !== 'desc') throw malformed('sort_order must be asc or desc');
  if (workflowId !== undefined && typeof workflowId !== 'string')
    throw malformed('workflow_id must be one text');
  const limit = countIn('limit', query.limit) ?? maxJobs;
  const offset = countIn('offset', query.offset) ?? 0;
  if (limit === 0) throw malformed('limit must be greater than 0');
  if (offset > maxOffset) throw malformed(`offset must be at most ${maxOffset}`);
  return {
    states: statesIn(status),
    ...(workflowId !== undefined && { workflowId }),
    byDuration: by === 'execution_duration',
    order: order as 'asc' | 'desc',
    limit: Math.min(limit, maxJobs),
    offset,
  };
}

function statesIn(status: unknown): readonly PromptState[] {
  if (status === undefined || status === '') return promptStates;
  const named = String(status)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const states = promptStates.filter((state) => named.includes(state));
  if (named.every((name) => states.includes(name as PromptState))) return states;
  throw malformed(`status must be some of ${promptStates.join(', ')}`);
}

function jobOf(row: ListedPrompt) {
  const { id, promptId, workflowId, startedAt, finishedAt } = row;
  const state = stateOf(row);
  const name = promptId ?? id;
  const files = filesOf(outputsOf(row));
  const shown = files.filter(({ mediaType }) => shownTypes.has(mediaType));
  const preview = shown.find(({ type }) => type === 'output') ?? shown[0];
  return {
    id: name,
    status: state,
    priority: numberOf(row),
    create_time: Date.parse(row.createdAt),
    ...(startedAt !== null && { execution_start_time: Date.parse(startedAt) }),
    ...(finishedAt !== null && { execution_end_time: Date.parse(finishedAt) }),
    ...(state === 'failed' && { execution_error: failureOf(row, name) }),
    outputs_count: files.length,
    previewable_outputs_count: shown.length,
    ...(preview && { preview_output: preview }),
    ...(workflowId !== null && { workflow_id: workflowId }),
  };
}

/** The kinds of output files that people can look at, read or play. */
const shownTypes = new Set(['images', 'gifs', 'video', 'videos', 'audio', '3d', 'text']);

function filesOf(outputs: Record<string, NodeOutput>) {
  return Object.entries(outputs).flatMap(([nodeId, kinds]) =>
    Object.entries(kinds).flatMap(([mediaType, files]) =>
      files.flatMap((file) => (typeof file === 'string' ? [] : [{ ...file, nodeId, mediaType }])),
    ),
  );
}

function stateOf(row: ListedPrompt): PromptState {
  if (row.status === 'completed') return 'completed';
  if (row.status === 'failed') return taskErrorOf(row)?.code === 'cancelled' ? 'cancelled' : 'failed';
  return row.phase === 'queued' ? 'pending' : 'in_progress';
}

/** The page reads the error of a node from texts, and both of these as texts. */
function failureOf(row: ListedPrompt, promptId: string): Record<string, unknown> {
  const [, failure] = promptFailure(row, promptId, Date.parse(row.finishedAt ?? row.updatedAt));
  return { ...failure, node_id: failure.node_id ?? '', node_type: failure.node_type ?? '' };
}

function durationOf({ startedAt, finishedAt }: ListedPrompt): number {
  return startedAt === null || finishedAt === null ? 0 : Date.parse(finishedAt) - Date.parse(startedAt);
}
