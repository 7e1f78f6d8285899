import { isRecord } from '@switchyard/contract/is-record';
import { type Graph, isLink, reachableFrom } from '../graphs/graph.ts';
import { choicesOf, inputsOf, type PoolDefinitions, takesFile } from './pool-nodes.ts';

/** One thing that is wrong with an input, in ComfyUI's words. */
export interface InputFault {
  type: string;
  message: string;
  details: string;
  extra_info: Record<string, unknown>;
}

export type NodeErrors = Record<
  string,
  { errors: InputFault[]; dependent_outputs: string[]; class_type: string }
>;

export interface PromptFaults {
  /** None of the outputs can be made. */
  isRefused: boolean;
  hasOutputs: boolean;
  nodeErrors: NodeErrors;
}

interface PromptToCheck {
  graph: Graph;
  targets: readonly string[];
  definitions: Pick<PoolDefinitions, 'classes' | 'workerFiles'>;
  /** `<node>.<input>` of the inputs that a file of the account was found for. */
  found: ReadonlySet<string>;
}

/** Longer lists are counted and not shown, as ComfyUI does. */
const maxChoicesShown = 20;
const maxValueLength = 200;

/**
 * Returns the faults that ComfyUI would find in a prompt before it queues it. Returns null when no worker of the pool
 * has one of the classes, since then the nodes cannot be checked.
 */
export function faultsOf({ graph, targets, definitions, found }: PromptToCheck): PromptFaults | null {
  const { classes } = definitions;
  const nodes = Object.entries(graph);
  if (nodes.some(([, { class_type: nodeClass }]) => !classes.has(nodeClass))) return null;
  const all = nodes
    .filter(([, node]) => classes.get(node.class_type)?.output_node === true)
    .map(([id]) => id);
  const outputs = targets.length > 0 ? all.filter((id) => targets.includes(id)) : all;
  const nodeErrors: NodeErrors = Object.create(null);
  const checked = new Map<string, InputFault[]>();
  let good = 0;
  for (const output of outputs) {
    const reached = [...reachableFrom(graph, [output])];
    const faulty = reached.filter((id) => {
      const faults = checked.get(id) ?? [...faultsOfNode(id, { graph, definitions, found })];
      checked.set(id, faults);
      return faults.length > 0;
    });
    if (faulty.length === 0) good += 1;
    for (const id of faulty) {
      const error = nodeErrors[id] ?? {
        errors: checked.get(id) ?? [],
        dependent_outputs: [],
        class_type: graph[id]?.class_type ?? '',
      };
      error.dependent_outputs.push(output);
      nodeErrors[id] = error;
    }
  }
  return { isRefused: good === 0, hasOutputs: outputs.length > 0, nodeErrors };
}

/** Returns whether one of the faults would end when a worker gets a model or a file. */
export function mayBeNew({ nodeErrors }: PromptFaults): boolean {
  const types = Object.values(nodeErrors).flatMap(({ errors }) => errors.map(({ type }) => type));
  return types.includes('value_not_in_list') || types.includes('custom_validation_failed');
}

function* faultsOfNode(
  id: string,
  { graph, definitions, found }: Omit<PromptToCheck, 'targets'>,
): Generator<InputFault> {
  const { class_type: nodeClass = '', inputs = {} } = graph[id] ?? {};
  for (const { name, isRequired, specification } of inputsOf(definitions.classes.get(nodeClass) ?? {})) {
    const value = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    if (value === undefined && isRequired) {
      yield fault('required_input_missing', 'Required input is missing', { name, details: name });
    }
    if (value === undefined || isLink(value) || found.has(`${id}.${name}`)) continue;
    const wrong = takesFile(specification)
      ? faultOfFile(name, value, definitions.workerFiles.get(`${nodeClass}.${name}`))
      : faultOfValue(name, value, specification);
    if (wrong) yield wrong;
  }
}

/** A file that lies on the workers for all, such as an example, may be named as well. */
function faultOfFile(name: string, value: unknown, workerFiles?: ReadonlySet<unknown>): InputFault | null {
  if (typeof value !== 'string' || workerFiles?.has(value)) return null;
  const details = `${name} - Invalid file: ${value.slice(0, maxValueLength)}`;
  return fault('custom_validation_failed', 'Custom validation failed for node', { name, details, value });
}

function faultOfValue(name: string, value: unknown, specification: readonly unknown[]): InputFault | null {
  const choices = choicesOf(specification);
  if (choices) return faultOfChoice(name, value, choices);
  const [type, options] = specification;
  if (type !== 'INT' && type !== 'FLOAT') return null;
  const number = typeof value === 'boolean' || typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number) || value === '') {
    const details = `${name}, ${shown(value)}, it is no number`;
    const message = `Failed to convert an input value to a ${type} value`;
    return fault('invalid_input_type', message, { name, details, value });
  }
  const { min, max } = isRecord(options) ? options : {};
  if (typeof min === 'number' && number < min) {
    const message = `Value ${number} smaller than min of ${min}`;
    return fault('value_smaller_than_min', message, { name, details: name, value });
  }
  if (typeof max === 'number' && number > max) {
    const message = `Value ${number} bigger than max of ${max}`;
    return fault('value_bigger_than_max', message, { name, details: name, value });
  }
  return null;
}

function faultOfChoice(name: string, value: unknown, choices: readonly unknown[]): InputFault | null {
  // Inputs that take several choices get a list.
  if (choices.includes(value) || typeof value === 'object') return null;
  const list =
    choices.length > maxChoicesShown ? `(list of length ${choices.length})` : JSON.stringify(choices);
  const details = `${name}: ${shown(value)} not in ${list}`;
  return fault('value_not_in_list', 'Value not in list', { name, details, value });
}

function fault(
  type: string,
  message: string,
  { name, details, value }: { name: string; details: string; value?: unknown },
): InputFault {
  const received = value === undefined ? {} : { received_value: value };
  return { type, message, details, extra_info: { input_name: name, ...received } };
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value));
  return text.slice(0, maxValueLength);
}
