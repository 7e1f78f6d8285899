import { fieldName, writtenLabel } from '@switchyard/contract/dispatch/field-name';
import { parameterKey } from '@switchyard/contract/dispatch/parameter-key';
import {
  maxParameters,
  type ParameterEdit,
  type WorkflowParameter,
} from '@switchyard/contract/dispatch/workflow';
import type { Fault } from '@switchyard/contract/errors';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { nearest } from '../../lib/nearest.ts';
import { type Graph, type GraphNode, nodeTitle, ownTitle } from '../graphs/graph.ts';
import { isPlaceholder, placeholdersIn } from '../graphs/placeholders.ts';
import type { NodeInput } from '../worker-client/worker-client.ts';

/** The values that the inputs of each node class take; a class that no worker has reported is missing. */
export type KnownInputs = ReadonlyMap<string, Readonly<Record<string, NodeInput>>>;

interface ReadOptions {
  known: KnownInputs;
  /** The form until now: what is still in the graph keeps its name, its place and how it is shown. */
  previous?: readonly ShownParameter[];
}

/** What a person decides about a parameter, and what of the graph it belongs to. */
export type ShownParameter = Pick<
  WorkflowParameter,
  'name' | 'label' | 'description' | 'hidden' | 'pinned' | 'placeholder'
> & { sets: readonly Pick<WorkflowParameter['sets'][number], 'node' | 'input'>[] };

const nameLength = 64;

/** The inputs that a task may set: every placeholder, and every input with a plain value. */
export function parametersOf(graph: Graph, { known, previous = [] }: ReadOptions): WorkflowParameter[] {
  const placeholders = placeholderParameters(graph, known);
  const inputs = inputParameters(graph, { known, hidden: placeholders.length > 0 });
  const before = new Map(previous.map((parameter) => [parameterKey(parameter), parameter]));
  const found = [...placeholders, ...inputs].slice(0, maxParameters);
  const taken = new Set(found.flatMap((parameter) => before.get(parameterKey(parameter))?.name ?? []));
  const unnamed = found.filter((parameter) => !before.has(parameterKey(parameter)));
  const shared = sharedNames(unnamed);
  const named = found.map((parameter) => {
    const known = before.get(parameterKey(parameter));
    if (!known) return { ...parameter, name: freeName(namesFor(parameter, shared), taken) };
    const { name, hidden, pinned, description } = known;
    // A label that was made follows the title of its node.
    const label = writtenLabel({ ...parameter, label: known.label }) ?? parameter.label;
    return { ...parameter, name, label, hidden, pinned, description: description ?? parameter.description };
  });
  return inOrderOf(previous, named);
}

/** Parameters that were there keep their order. A new one follows the one that stands before it in the graph. */
function inOrderOf(previous: readonly ShownParameter[], found: WorkflowParameter[]): WorkflowParameter[] {
  const places = new Map(previous.map((parameter, index) => [parameterKey(parameter), index]));
  let place = -1;
  const placed = found.map((parameter, index) => {
    place = places.get(parameterKey(parameter)) ?? place;
    return { parameter, place, index, isNew: !places.has(parameterKey(parameter)) };
  });
  return placed
    .sort((a, b) => a.place - b.place || Number(a.isNew) - Number(b.isNew) || a.index - b.index)
    .map(({ parameter }) => parameter);
}

/** The parameters as the user wants them shown. */
export function editParameters(
  parameters: readonly WorkflowParameter[],
  edits: readonly ParameterEdit[],
): WorkflowParameter[] {
  const edited = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const order = [...edited.keys()];
  const faults: Fault[] = [];
  edits.forEach(({ name, rename, position, ...shown }, index) => {
    const parameter = edited.get(name);
    if (!parameter) {
      faults.push(fault([index, 'name'], `There is no parameter "${name}".${hint(name, edited.keys())}`));
      return;
    }
    edited.set(name, { ...parameter, ...shown, name: rename ?? parameter.name });
    if (position !== undefined) order.splice(position, 0, ...order.splice(order.indexOf(name), 1));
  });
  const names = new Set<string>();
  for (const { name } of edited.values()) {
    if (names.has(name)) {
      faults.push(fault([], say('parameter_twice', { name })));
    }
    names.add(name);
  }
  if (faults.length > 0) throw new AppError('validation_failed', { faults });
  return order.flatMap((name) => edited.get(name) ?? []);
}

export function hint(name: string, candidates: Iterable<string>): string {
  const suggestion = name.length <= nameLength ? nearest(name, candidates) : undefined;
  return suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
}

function placeholderParameters(graph: Graph, known: KnownInputs): WorkflowParameter[] {
  const found = new Map<string, WorkflowParameter>();
  for (const { placeholder, isWhole, of, use } of placeholderUses(graph)) {
    const present = found.get(placeholder);
    if (present) {
      present.sets.push(use);
      continue;
    }
    const taken = isWhole ? takenBy(known, of, use.input) : undefined;
    const shape: Shape = taken ?? { type: isWhole ? 'any' : 'string' };
    const own = { label: placeholder, placeholder, default: null, hidden: false };
    found.set(placeholder, newParameter(shape, { ...own, sets: [use] }));
  }
  return [...found.values()];
}

interface PlaceholderUse {
  placeholder: string;
  /** The input contains only the placeholder. */
  isWhole: boolean;
  of: GraphNode;
  use: WorkflowParameter['sets'][number];
}

function* placeholderUses(graph: Graph): Generator<PlaceholderUse> {
  for (const [id, node] of Object.entries(graph)) {
    for (const [input, value] of Object.entries(node.inputs)) {
      if (typeof value !== 'string') continue;
      const use = { node: id, title: nodeTitle(graph, id), input };
      const isWhole = isPlaceholder(value);
      for (const placeholder of placeholdersIn(value)) yield { placeholder, isWhole, of: node, use };
    }
  }
}

function inputParameters(
  graph: Graph,
  { known, hidden }: { known: KnownInputs; hidden: boolean },
): WorkflowParameter[] {
  const found: WorkflowParameter[] = [];
  for (const [nodeId, node] of Object.entries(graph)) {
    for (const [input, value] of Object.entries(node.inputs)) {
      if (!isPlain(value) || (typeof value === 'string' && placeholdersIn(value).length > 0)) continue;
      const shape = shapeOf(value, { taken: takenBy(known, node, input), node, input });
      const own = ownTitle(node);
      const title = own ?? node.class_type;
      found.push(
        newParameter(shape, {
          label: fieldName({ title, label: null, input }, { alone: own === null }),
          placeholder: null,
          default: value,
          hidden,
          sets: [{ node: nodeId, title, input }],
        }),
      );
    }
  }
  return found;
}

function takenBy(known: KnownInputs, { class_type }: GraphNode, input: string): NodeInput | undefined {
  const inputs = known.get(class_type);
  return inputs && Object.hasOwn(inputs, input) ? inputs[input] : undefined;
}

type Plain = string | number | boolean;
type Shape = Omit<NodeInput, 'type'> & Pick<WorkflowParameter, 'type'>;

/** Returns the shape that the workers report, if the present value agrees with it; otherwise the one that the value suggests. */
function shapeOf(
  value: Plain,
  { taken, node, input }: { taken: NodeInput | undefined; node: GraphNode; input: string },
): Shape {
  if (taken && agrees(taken.type, value)) return taken;
  if (typeof value === 'boolean') return { type: 'boolean' };
  // Unless a worker has reported the type, the value 1 may belong to an input that also takes 1.5.
  if (typeof value === 'number') return { type: 'number' };
  const isFile = node.class_type.startsWith('LoadImage') && input === 'image';
  return { type: isFile ? 'file' : 'string', ...(value.includes('\n') && { multiline: true }) };
}

function agrees(type: NodeInput['type'], value: Plain): boolean {
  if (type === 'integer' || type === 'number') return typeof value === 'number';
  return type === 'boolean' ? typeof value === 'boolean' : typeof value === 'string';
}

type Own = Pick<WorkflowParameter, 'label' | 'placeholder' | 'default' | 'hidden' | 'sets'>;

function newParameter({ type, ...shape }: Shape, own: Own): WorkflowParameter {
  return {
    name: '',
    ...own,
    label: own.label.slice(0, 200),
    type,
    pinned: false,
    required: own.placeholder !== null,
    description: shape.description ?? null,
    minimum: shape.minimum ?? null,
    maximum: shape.maximum ?? null,
    ...(shape.step !== undefined && { step: shape.step }),
    choices: shape.choices ?? null,
    multiline: shape.multiline ?? false,
  };
}

/** The labels of pinned fields of an earlier form that are not among the parameters any more. */
export function lostFields(
  previous: readonly ShownParameter[],
  parameters: readonly WorkflowParameter[],
): string[] {
  const present = new Set(parameters.map(parameterKey));
  const lost = previous.filter((parameter) => parameter.pinned && !present.has(parameterKey(parameter)));
  return lost.map(({ label }) => label);
}

/** Names of inputs that several parameters would share. */
function sharedNames(parameters: readonly WorkflowParameter[]): Set<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { placeholder, sets } of parameters) {
    const name = plainName(placeholder ?? sets[0]?.input ?? '');
    if (placeholder === null && seen.has(name)) shared.add(name);
    seen.add(name);
  }
  return shared;
}

/**
 * The possible names, the best first: `seed`; if several inputs have that name, `upscaler_seed`; then the name with the
 * node's id.
 */
function namesFor({ placeholder, sets: [first] }: WorkflowParameter, shared: ReadonlySet<string>): string[] {
  if (placeholder !== null || !first) return [plainName(placeholder ?? '')];
  const short = plainName(first.input);
  const long = plainName(`${first.title.toLowerCase()}_${first.input}`);
  const exact = plainName(`${first.input}_${first.node}`);
  return shared.has(short) ? [long, exact] : [short, long, exact];
}

function freeName(wanted: readonly string[], taken: Set<string>): string {
  let name = wanted.find((each) => !taken.has(each));
  const last = wanted.at(-1) ?? '';
  for (let count = 2; name === undefined; count += 1) {
    const numbered = `${last.slice(0, nameLength - 6)}_${count}`;
    if (!taken.has(numbered)) name = numbered;
  }
  taken.add(name);
  return name;
}

function plainName(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, nameLength);
  return /[A-Za-z0-9]/.test(plain) ? plain.replace(/^_+|_+$/g, '') : 'value';
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function fault(path: (string | number)[], message: Wording): Fault {
  return { in: 'body', path: ['parameters', ...path], message, type: 'value_error' };
}
