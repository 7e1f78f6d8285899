import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { newTask } from '@switchyard/contract/dispatch/tasks';
import { Value } from 'typebox/value';
import type { Fleet } from '../../dispatch/fleet/fleet.ts';
import { requirementOf } from '../../dispatch/graphs/capability.ts';
import { type Graph, parseGraph } from '../../dispatch/graphs/graph.ts';
import type { PoolNodes } from '../../dispatch/instances/pool-nodes.ts';
import { faultsOf, mayBeNew, type PromptFaults } from '../../dispatch/instances/prompt-faults.ts';
import type { SubmitMeta, Tasks } from '../../dispatch/intake/tasks.ts';
import { AppError } from '../../lib/app-error.ts';
import { type ApiNodeErrors, ComfyApiRefusal, invalidWorkflow } from './comfy-api-errors.ts';
import { assetOfParam, missingAsset, takeAssets } from './job-assets.ts';

interface SubmissionsOptions {
  tasks: Pick<Tasks, 'submit'>;
  nodes: Pick<PoolNodes, 'definitions'>;
  fleet: Pick<Fleet, 'refreshOffers' | 'isEachAway'>;
}

interface NewJob {
  workflow: Record<string, unknown>;
  extra_data?: Record<string, unknown> | undefined;
}

/** Workers that are starting need seconds, and a client gives up after a minute. */
const retryAfterSeconds = 5;

/** Takes jobs of the Comfy API into the queue of the pool. */
export class JobSubmissions {
  readonly #options: SubmissionsOptions;

  constructor(options: SubmissionsOptions) {
    this.#options = options;
  }

  /** The key works once, whatever the body. It stays free when no job was made. */
  async submit({ workflow: given, extra_data: extraData }: NewJob, by: SubmitMeta): Promise<TaskDetail> {
    const { workflow, params, inputs } = takeAssets(given);
    const graph = readGraph(workflow);
    await this.#requireRunnable(graph, inputs);
    const requirement = requirementOf(graph, { pool: null, pinnedInstanceId: null });
    const input = { workflow: graph, params, ...(extraData && { extraData }) };
    if (!Value.Check(newTask, input)) throw invalidWorkflow('The workflow cannot be read.');
    try {
      const { task, replayed } = await this.#options.tasks.submit(input, {
        ...by,
        idempotencyKey: by.idempotencyKey === null ? null : `comfy-api ${by.idempotencyKey}`,
        // This is checked last, so that no client waits for workers and is refused afterwards.
        alongside: async () => {
          if (this.#options.fleet.isEachAway(requirement)) throw notReady();
        },
      });
      if (replayed) throw new AppError('idempotency_mismatch');
      return task;
    } catch (error) {
      throw error instanceof AppError ? refusalOf(error, graph) : error;
    }
  }

  /** A worker may have been given a model a moment ago, so workers are asked again before a job is refused. */
  async #requireRunnable(graph: Graph, found: ReadonlySet<string>): Promise<void> {
    const look = async (): Promise<PromptFaults | null> =>
      faultsOf({ graph, targets: [], definitions: await this.#options.nodes.definitions(), found });
    let faults = await look();
    if (faults?.isRefused && mayBeNew(faults)) {
      await this.#options.fleet.refreshOffers();
      faults = await look();
    }
    if (faults?.hasOutputs === false) throw invalidWorkflow('The workflow has no node that makes an output.');
    if (faults?.isRefused) throw invalidWorkflow('The workflow cannot run.', errorsOfInputs(faults));
  }
}

function notReady(): ComfyApiRefusal {
  return new ComfyApiRefusal('deployment_not_ready', {
    status: 429,
    message: 'No worker that can run this workflow is up at present. Try again shortly.',
    retryAfterSeconds,
  });
}

function readGraph(workflow: Record<string, unknown>): Graph {
  try {
    return parseGraph(workflow);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_workflow') throw error;
    const nodeErrors: ApiNodeErrors = Object.create(null);
    for (const { path, message } of error.faults ?? []) {
      const [, node, , input] = path.map(String);
      if (node !== undefined) addError(nodeErrors, { node, field: input ?? '', reason: message });
    }
    throw invalidWorkflow(error.message, nodeErrors);
  }
}

/** Returns the area's error about the task in words of the Comfy API. */
function refusalOf(error: AppError, graph: Graph): AppError {
  if (error.code === 'no_capable_instance')
    return invalidWorkflow(error.message, errorsOfMissing(error.details, graph));
  if (error.code !== 'invalid_param') return error;
  const missing = (error.faults ?? []).filter(({ type }) => type === 'file_not_found');
  return missing.length > 0
    ? missingAsset(missing.map(({ path }) => assetOfParam(String(path.at(-1)))))
    : invalidWorkflow(error.message);
}

function errorsOfInputs({ nodeErrors }: PromptFaults): ApiNodeErrors {
  const errors = Object.entries(nodeErrors).map(([node, { errors: faults }]) => [
    node,
    faults.map(({ message, details, extra_info: { input_name: name } }) => ({
      field: typeof name === 'string' ? name : '',
      reason: `${message}: ${details}`,
    })),
  ]);
  return Object.fromEntries(errors);
}

/** The area names what is missing as `class`, or `class.input = value`. */
function errorsOfMissing(details: unknown, graph: Graph): ApiNodeErrors {
  const missing = new Map(
    (details as { name: string; instancesWithIt: number }[]).map(({ name, instancesWithIt }) => [
      name,
      `${name} is on ${instancesWithIt} of the workers, and none has all that the workflow needs.`,
    ]),
  );
  const nodeErrors: ApiNodeErrors = Object.create(null);
  for (const [node, { class_type: nodeClass, inputs }] of Object.entries(graph)) {
    const places = Object.entries(inputs).map(([field, value]) => ({
      field,
      name: `${nodeClass}.${field} = ${value}`,
    }));
    for (const { field, name } of [{ field: 'class_type', name: nodeClass }, ...places]) {
      const reason = missing.get(name);
      if (reason !== undefined) addError(nodeErrors, { node, field, reason });
    }
  }
  return nodeErrors;
}

function addError(
  nodeErrors: ApiNodeErrors,
  { node, field, reason }: { node: string; field: string; reason: string },
): void {
  nodeErrors[node] = [...(nodeErrors[node] ?? []), { field, reason }];
}
