import { newTask } from '@switchyard/contract/dispatch/tasks';
import { isRecord } from '@switchyard/contract/is-record';
import { Value } from 'typebox/value';
import type { Fleet } from '../../dispatch/fleet/fleet.ts';
import { type Graph, parseGraph } from '../../dispatch/graphs/graph.ts';
import {
  inputsOf,
  type PoolDefinitions,
  type PoolNodes,
  takesFile,
} from '../../dispatch/instances/pool-nodes.ts';
import {
  faultsOf,
  mayBeNew,
  type NodeErrors,
  type PromptFaults,
} from '../../dispatch/instances/prompt-faults.ts';
import type { TaskFront } from '../../dispatch/intake/task-front.ts';
import type { SubmitMeta, Tasks } from '../../dispatch/intake/tasks.ts';
import type { PromptStore } from '../../dispatch/tasks/prompt-store.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { ComfyuiFiles } from './comfyui-files.ts';
import { readFileName } from './comfyui-names.ts';
import type { PromptFeed } from './prompt-feed.ts';
import { failedValidation, type PromptRefusal, refusal, refusalOf } from './prompt-refusals.ts';

interface PromptsOptions {
  tasks: Pick<Tasks, 'submit'>;
  front: Pick<TaskFront, 'move'>;
  prompts: Pick<PromptStore, 'add'>;
  feed: Pick<PromptFeed, 'hold'>;
  nodes: Pick<PoolNodes, 'definitions'>;
  files: Pick<ComfyuiFiles, 'find'>;
  fleet: Pick<Fleet, 'refreshOffers'>;
}

export interface QueuedPrompt {
  prompt_id: string;
  number: number;
  node_errors: NodeErrors;
}

interface PromptRequest {
  graph: Graph;
  promptId: string | null;
  clientId: string | null;
  extraData: Record<string, unknown>;
  targets: string[];
  goesFirst: boolean;
}

type SubmitBy = Omit<SubmitMeta, 'alongside' | 'idempotencyKey' | 'actor'> & { actor: Actor };

export const canonicalId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Clients make theirs from a UUID or a short name. */
const maxClientIdLength = 200;

/** Takes prompts of clients of ComfyUI into the queue of the pool. */
export class Prompts {
  readonly #options: PromptsOptions;

  constructor(options: PromptsOptions) {
    this.#options = options;
  }

  /** `whenAnswered`: call it when the client has the answer; the messages of the prompt follow. */
  async submit(
    body: unknown,
    by: SubmitBy,
  ): Promise<{ queued: QueuedPrompt; whenAnswered: () => void } | { refused: PromptRefusal }> {
    const request = readRequest(body);
    if ('status' in request) return { refused: request };
    try {
      return await this.#submit(request, by);
    } catch (error) {
      const refused = error instanceof AppError ? refusalOf(error, request.graph) : null;
      if (refused === null) throw error;
      return { refused };
    }
  }

  async #submit(request: PromptRequest, by: SubmitBy): ReturnType<Prompts['submit']> {
    const graph = parseGraph(request.graph);
    const { faults, params } = await this.#judge({ ...request, graph }, by.userId);
    if (faults?.hasOutputs === false)
      return { refused: refusal('prompt_no_outputs', 'Prompt has no outputs', { details: '' }) };
    if (faults?.isRefused) return { refused: failedValidation(faults.nodeErrors) };
    const input = {
      workflow: graph,
      ...(Object.keys(params).length > 0 && { params }),
      ...(Object.keys(request.extraData).length > 0 && { extraData: request.extraData }),
      ...(request.targets.length > 0 && { partialExecutionTargets: request.targets }),
    };
    if (!Value.Check(newTask, input))
      return { refused: refusal('invalid_prompt', 'The prompt cannot be read') };
    const { prompts, feed, tasks, front } = this.#options;
    let whenAnswered: () => void = () => undefined;
    try {
      const { task, replayed } = await tasks.submit(input, {
        ...by,
        idempotencyKey: request.promptId === null ? null : `comfyui ${request.promptId}`,
        alongside: async (trx, { id, owner }) => {
          const row = { taskId: id, owner, promptId: request.promptId ?? id, clientId: request.clientId };
          const workflowId = workflowIdIn(request.extraData);
          if (!(await prompts.add(trx, { ...row, workflowId }))) throw new AppError('idempotency_mismatch');
          whenAnswered = feed.hold(row);
        },
      });
      if (request.goesFirst && !replayed) await this.#moveFirst(front, task.id, by);
      const queued = {
        prompt_id: request.promptId ?? task.id,
        number: numberOf(task),
        node_errors: faults?.nodeErrors ?? {},
      };
      return { queued, whenAnswered };
    } catch (error) {
      whenAnswered();
      throw error;
    }
  }

  /** A worker may have been given a model or a node a moment ago, so workers are asked again before a prompt is refused. */
  async #judge(
    request: PromptRequest,
    userId: string,
  ): Promise<{ faults: PromptFaults | null; params: Record<string, unknown> }> {
    const first = await this.#look(request, userId);
    if (!first.faults?.isRefused || !mayBeNew(first.faults)) return first;
    await this.#options.fleet.refreshOffers();
    return this.#look(request, userId);
  }

  async #look(
    { graph, targets }: PromptRequest,
    userId: string,
  ): Promise<{ faults: PromptFaults | null; params: Record<string, unknown> }> {
    const definitions = await this.#options.nodes.definitions();
    const params: Record<string, unknown> = Object.create(null);
    for (const { address, value } of filesIn(graph, definitions).slice(0, maxFiles)) {
      const named = readFileName(value, { folder: 'input' });
      const file = named && (await this.#options.files.find(userId, named));
      if (file) params[address] = { $file: file.row.id };
    }
    const found = new Set(Object.keys(params));
    return { faults: faultsOf({ graph, targets, definitions, found }), params };
  }

  async #moveFirst(front: PromptsOptions['front'], taskId: string, by: SubmitBy): Promise<void> {
    try {
      await front.move({ user: by.userId }, taskId, by.actor);
    } catch (error) {
      // A worker has taken it already, so nothing is before it any more.
      if (!(error instanceof AppError) || error.code !== 'task_not_waiting') throw error;
    }
  }
}

/** Files that one prompt may name; each costs a look-up. */
const maxFiles = 200;

/** The values of inputs that take a file, each with the address of its input. */
function filesIn(
  graph: Graph,
  { classes }: Pick<PoolDefinitions, 'classes'>,
): { address: string; value: string }[] {
  return Object.entries(graph).flatMap(([id, { class_type: nodeClass, inputs }]) =>
    [...inputsOf(classes.get(nodeClass) ?? {})].flatMap(({ name, specification }) => {
      const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
      return typeof value === 'string' && takesFile(specification)
        ? [{ address: `${id}.${name}`, value }]
        : [];
    }),
  );
}

/** ComfyUI numbers its prompts in the order in which they came. */
export function numberOf({ createdAt }: { createdAt: string }): number {
  return Date.parse(createdAt);
}

function readRequest(body: unknown): PromptRequest | PromptRefusal {
  if (!isRecord(body) || body.prompt === undefined || body.prompt === null)
    return refusal('no_prompt', 'No prompt provided');
  const { prompt, prompt_id: promptId = null, client_id: clientId, extra_data: given } = body;
  if (promptId !== null && (typeof promptId !== 'string' || !canonicalId.test(promptId)))
    return refusal('invalid_prompt_id', 'prompt_id must be a UUID in lower case with hyphens');
  if (typeof clientId === 'string' && clientId.length > maxClientIdLength)
    return refusal('invalid_prompt', `client_id has more than ${maxClientIdLength} characters`);
  const { partial_execution_targets: targets, front, number } = body;
  if (Array.isArray(targets) && !targets.every((target) => typeof target === 'string'))
    return refusal('invalid_prompt', 'partial_execution_targets must be a list of node ids');
  return {
    graph: prompt as Graph,
    promptId,
    clientId: typeof clientId === 'string' ? clientId : null,
    extraData: isRecord(given) ? given : {},
    targets: Array.isArray(targets) ? [...new Set(targets as string[])] : [],
    goesFirst: front === true || (typeof number === 'number' && number < 0),
  };
}

/** A page of ComfyUI names the workflow in which the prompt was made. */
function workflowIdIn({ extra_pnginfo: info }: Record<string, unknown>): string | null {
  const workflow = isRecord(info) ? info.workflow : undefined;
  const id = isRecord(workflow) ? workflow.id : undefined;
  return typeof id === 'string' && id.length <= maxClientIdLength ? id : null;
}
