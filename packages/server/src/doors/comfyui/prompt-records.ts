import { maskExtraData } from '../../dispatch/graphs/extra-data.ts';
import { type Graph, isLink } from '../../dispatch/graphs/graph.ts';
import type { TaskInputRow, TaskPromptRow, TaskRow } from '../../dispatch/tables.ts';
import type { ListedPrompt, PromptListStore, PromptState } from '../../dispatch/tasks/prompt-list-store.ts';
import type { PromptStore } from '../../dispatch/tasks/prompt-store.ts';
import type { TaskListStore } from '../../dispatch/tasks/task-list-store.ts';
import type { TaskStore } from '../../dispatch/tasks/task-store.ts';
import { targetsOf } from '../../dispatch/tasks/task-view.ts';
import { promptFailure } from './prompt-frames.ts';
import { outputsOf } from './prompt-outputs.ts';
import { numberOf } from './prompts.ts';

interface PromptRecordsOptions {
  tasks: Pick<TaskStore, 'get'>;
  lists: Pick<TaskListStore, 'page'>;
  promptLists: Pick<PromptListStore, 'list'>;
  prompts: Pick<PromptStore, 'find' | 'of' | 'inputsOf'>;
}

type PromptTuple = [
  number: number,
  promptId: string,
  graph: unknown,
  extraData: Record<string, unknown>,
  outputs: string[],
];

export interface HistoryEntry {
  prompt: PromptTuple;
  outputs: ReturnType<typeof outputsOf>;
  status: {
    status_str: 'success' | 'error';
    completed: boolean;
    messages: [string, Record<string, unknown>][];
  };
  meta: Record<string, Record<string, unknown>>;
}

const endedStates = ['completed', 'failed', 'cancelled'] as const;
/** ComfyUI keeps 10,000 and its clients ask for 200 at most; each has its graph. */
const maxEntries = 200;
/** As many prompts a ComfyUI remembers. */
const maxOffset = 10_000;
/** All waiting prompts of an account by default. A client takes a prompt that is not listed for one that is lost. */
const maxListed = 10_000;
/** The graph of further prompts is left out: a client that looks for its prompt looks for the id. */
const maxGraphs = 100;
/** Reach the worker and never leave again. ComfyUI names the same two. */
const sensitiveKeys = new Set(['auth_token_comfy_org', 'api_key_comfy_org']);

/** The prompts of an account as the queue and the history of one ComfyUI. All of its tasks are in them, also those that came by another way. */
export class PromptRecords {
  readonly #options: PromptRecordsOptions;

  constructor(options: PromptRecordsOptions) {
    this.#options = options;
  }

  async queue(userId: string): Promise<{ queue_running: PromptTuple[]; queue_pending: PromptTuple[] }> {
    const { running, waiting } = await this.open(userId);
    return { queue_running: await this.#tuples(running), queue_pending: await this.#tuples(waiting) };
  }

  /**
   * The prompts that have not ended. A client that has the event of its prompt's start finds it among those that run.
   */
  async open(userId: string): Promise<{ running: TaskRow[]; waiting: TaskRow[] }> {
    const list = (status: 'running' | 'pending') => {
      const page = { status, order: 'asc', limit: maxListed, offset: 0 } as const;
      return this.#options.lists.page({ user: userId }, page);
    };
    // In this order, no prompt that starts between the two is missing from both.
    const pending = await list('pending');
    const running = await list('running');
    const started = new Set(running.map(({ id }) => id));
    const others = pending.filter(({ id }) => !started.has(id));
    return {
      running: [...running, ...others.filter((row) => !isWaiting(row))],
      waiting: others.filter(isWaiting),
    };
  }

  /** The newest, the oldest of them first; with an offset those that follow so many of the oldest. */
  async history(
    userId: string,
    { maxItems = maxEntries, offset }: { maxItems?: number | undefined; offset?: number | undefined },
  ): Promise<Record<string, HistoryEntry>> {
    const limit = Math.min(maxItems, maxEntries);
    if (offset !== undefined && offset > maxOffset) return {};
    const order = offset === undefined ? 'desc' : 'asc';
    const page = { states: endedStates, order, limit, offset: offset ?? 0 } as const;
    const { rows } = await this.#options.promptLists.list(userId, page);
    return this.#entries(order === 'desc' ? rows.reverse() : rows);
  }

  /** Empty for a prompt that has not ended, and for one that the account does not have or has taken out of its history. */
  async historyOf(userId: string, promptId: string): Promise<Record<string, HistoryEntry>> {
    const row = await this.listed(userId, promptId, endedStates);
    return row ? this.#entries([row]) : {};
  }

  async listed(
    userId: string,
    promptId: string,
    states: readonly PromptState[],
  ): Promise<ListedPrompt | undefined> {
    const taskId = (await this.find(userId, promptId))?.id;
    if (taskId === undefined) return undefined;
    const page = { taskId, states, order: 'asc', limit: 1, offset: 0 } as const;
    return (await this.#options.promptLists.list(userId, page)).rows[0];
  }

  /** The prompt and its record, as the history shows a prompt that has ended. */
  async entryOf(row: ListedPrompt): Promise<HistoryEntry> {
    const [entry] = Object.values(await this.#entries([row]));
    if (!entry) throw new Error('A prompt that was listed has no record.');
    return entry;
  }

  async find(userId: string, promptId: string): Promise<TaskRow | undefined> {
    const named = await this.#options.prompts.find(userId, promptId);
    return this.#options.tasks.get({ user: userId }, named?.taskId ?? promptId);
  }

  async #tuples(rows: readonly TaskRow[]): Promise<PromptTuple[]> {
    const names = await this.#options.prompts.of(rows.map(({ id }) => id));
    const inputs = await this.#options.prompts.inputsOf(rows.slice(0, maxGraphs).map(({ id }) => id));
    return rows.map((row) => tupleOf(row, { name: names.get(row.id), input: inputs.get(row.id) }));
  }

  async #entries(rows: readonly TaskRow[]): Promise<Record<string, HistoryEntry>> {
    const ids = rows.map(({ id }) => id);
    const names = await this.#options.prompts.of(ids);
    const inputs = await this.#options.prompts.inputsOf(ids);
    const entries = rows.map((row) => {
      const facts = { name: names.get(row.id), input: inputs.get(row.id) };
      return [facts.name?.promptId ?? row.id, entryOf(row, facts)] as const;
    });
    return Object.fromEntries(entries);
  }
}

/** The status follows a moment after a worker has the prompt, and the phase goes before it. */
export function isWaiting({ phase }: TaskRow): boolean {
  return phase === 'queued';
}

interface PromptFacts {
  name: TaskPromptRow | undefined;
  input: TaskInputRow | undefined;
}

function tupleOf(row: TaskRow, { name, input }: PromptFacts): PromptTuple {
  const graph = (input ? JSON.parse(input.workflow) : {}) as Graph;
  const outputs = (input && targetsOf(input)) ?? endsOf(graph);
  return [numberOf(row), name?.promptId ?? row.id, graph, extraDataOf(row, { name, input }), outputs];
}

function extraDataOf({ createdAt }: TaskRow, { name, input }: PromptFacts): Record<string, unknown> {
  const given = input?.extraData ? (JSON.parse(input.extraData) as Record<string, unknown>) : {};
  const open = Object.fromEntries(Object.entries(given).filter(([key]) => !sensitiveKeys.has(key)));
  return {
    ...maskExtraData(open),
    ...(typeof name?.clientId === 'string' && { client_id: name.clientId }),
    create_time: Date.parse(createdAt),
  };
}

/** The nodes whose results no other node takes. */
function endsOf(graph: Graph): string[] {
  const values = Object.values(graph).flatMap(({ inputs }) => Object.values(inputs ?? {}));
  const taken = new Set(values.flatMap((value) => (isLink(value) ? [value[0]] : [])));
  return Object.keys(graph).filter((id) => !taken.has(id));
}

function entryOf(row: TaskRow, facts: PromptFacts): HistoryEntry {
  const prompt = tupleOf(row, facts);
  const [, promptId] = prompt;
  const outputs = outputsOf(row);
  const started = Date.parse(row.startedAt ?? row.createdAt);
  const ended = Date.parse(row.finishedAt ?? row.updatedAt);
  const isSuccess = row.status === 'completed';
  const end: [string, Record<string, unknown>] = isSuccess
    ? ['execution_success', { prompt_id: promptId, timestamp: ended }]
    : promptFailure(row, promptId, ended);
  return {
    prompt,
    outputs,
    status: {
      status_str: isSuccess ? 'success' : 'error',
      completed: isSuccess,
      messages: [['execution_start', { prompt_id: promptId, timestamp: started }], end],
    },
    meta: Object.fromEntries(
      Object.keys(outputs).map((node) => [
        node,
        { node_id: node, display_node: node, parent_node: null, real_node_id: node },
      ]),
    ),
  };
}
