import type { MissingThing } from '../../dispatch/graphs/capability.ts';
import { type Graph, ownTitle } from '../../dispatch/graphs/graph.ts';
import type { InputFault, NodeErrors } from '../../dispatch/instances/prompt-faults.ts';
import type { AppError } from '../../lib/app-error.ts';

/** The refusal of a prompt, in ComfyUI's words. */
export interface PromptRefusal {
  status: number;
  body: { error: PromptError; node_errors: NodeErrors };
}

interface PromptError {
  type: string;
  message: string;
  details: string;
  extra_info: Record<string, unknown>;
}

export function refusal(
  type: string,
  message: string,
  {
    status = 400,
    details = message,
    extraInfo = {},
    nodeErrors = {},
  }: {
    status?: number;
    details?: string;
    extraInfo?: Record<string, unknown>;
    nodeErrors?: NodeErrors;
  } = {},
): PromptRefusal {
  const error = { type, message, details, extra_info: extraInfo };
  return { status, body: { error, node_errors: nodeErrors } };
}

export function failedValidation(nodeErrors: NodeErrors): PromptRefusal {
  const lines = Object.entries(nodeErrors).flatMap(([id, { class_type: nodeClass, errors }]) =>
    errors.map(({ message, details }) => `${nodeClass} ${id}: ${message}: ${details}`),
  );
  return refusal('prompt_outputs_failed_validation', 'Prompt outputs failed validation', {
    details: lines.slice(0, maxLines).join('\n'),
    nodeErrors,
  });
}

/** Returns the area's error about the task in ComfyUI's words; null for an error that the prompt did not cause. */
export function refusalOf(error: AppError, graph: Graph): PromptRefusal | null {
  switch (error.code) {
    case 'no_capable_instance':
      return missingFromPool(error, graph);
    case 'queue_full':
      return refusal('queue_full', error.message, { status: error.status });
    case 'idempotency_mismatch':
      return refusal('invalid_prompt_id', 'This prompt_id has been used for another prompt');
    case 'invalid_workflow':
    case 'ui_format_workflow':
    case 'validation_failed':
    case 'invalid_param':
      return refusal('invalid_prompt', error.message, { nodeErrors: nodeErrorsOf(error, graph) });
    default:
      return null;
  }
}

const maxLines = 50;

/** A thing that no single worker has: a node class, or the value of an input of one. */
interface Missing extends Omit<MissingThing, 'name'> {
  nodeClass: string;
  input?: { name: string; value: string };
}

/**
 * A class that no worker has is named alone, as ComfyUI does. Otherwise each thing that is missing somewhere is named: no single worker
 * has all of them, though the pool lists them all.
 */
function missingFromPool(error: AppError, graph: Graph): PromptRefusal {
  const missing = missingOf(error.details);
  const nowhere = missing.find(({ input, instancesWithIt }) => !input && instancesWithIt === 0);
  if (nowhere) return missingClass(nowhere.nodeClass, graph);
  const nodeErrors: NodeErrors = Object.create(null);
  for (const each of missing) {
    const nodes = Object.entries(graph).filter(([, node]) => node.class_type === each.nodeClass);
    for (const [id] of nodes) addFault(nodeErrors, { id, nodeClass: each.nodeClass, fault: faultOf(each) });
  }
  return failedValidation(nodeErrors);
}

function missingClass(nodeClass: string, graph: Graph): PromptRefusal {
  const [id = '', node] = Object.entries(graph).find(([, { class_type: name }]) => name === nodeClass) ?? [];
  const title = (node && ownTitle(node)) ?? nodeClass;
  return refusal('missing_node_type', `Node '${title}' not found. No worker of the pool has it.`, {
    details: `Node ID '#${id}'`,
    extraInfo: { node_id: id, class_type: nodeClass, node_title: title },
  });
}

function faultOf({ nodeClass, input, instancesWithIt, instanceIds }: Missing): InputFault {
  const what = input ? `${input.name}: '${input.value}'` : nodeClass;
  const others = instancesWithIt - instanceIds.length;
  const where = [...instanceIds, ...(others > 0 ? [`${others} more`] : [])].join(', ') || 'no worker';
  return {
    type: input ? 'value_not_in_list' : 'missing_node_type',
    message: input ? 'Value not in list' : 'Node not found',
    details: `${what} is on ${where}, and no worker has all that the prompt needs`,
    extra_info: input ? { input_name: input.name, received_value: input.value } : {},
  };
}

/** The area names what is missing as `class`, or `class.input = value`. */
function missingOf(details: unknown): Missing[] {
  const given = Array.isArray(details) ? (details as MissingThing[]) : [];
  return given.map(({ name, ...found }) => {
    const [, nodeClass, input, value] = /^(.*)\.([^.]*) = (.*)$/s.exec(name) ?? [];
    if (nodeClass === undefined || input === undefined || value === undefined)
      return { nodeClass: name, ...found };
    return { nodeClass, input: { name: input, value }, ...found };
  });
}

function addFault(
  nodeErrors: NodeErrors,
  { id, nodeClass, fault }: { id: string; nodeClass: string; fault: InputFault },
): void {
  const known = nodeErrors[id] ?? { errors: [], dependent_outputs: [], class_type: nodeClass };
  known.errors.push(fault);
  nodeErrors[id] = known;
}

/** Faults of the area name the node and its input by their place in the workflow. */
function nodeErrorsOf({ faults = [] }: AppError, graph: Graph): NodeErrors {
  const nodeErrors: NodeErrors = Object.create(null);
  for (const { path, message, type } of faults) {
    const [, id, , input] = path.map(String);
    const node = id !== undefined && Object.hasOwn(graph, id) ? graph[id] : undefined;
    if (id === undefined || !node) continue;
    const extra = input === undefined ? {} : { input_name: input };
    const fault = { type, message, details: input ?? '', extra_info: extra };
    addFault(nodeErrors, { id, nodeClass: String(node.class_type), fault });
  }
  return nodeErrors;
}
