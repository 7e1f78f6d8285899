import { parameterKey } from '@switchyard/contract/dispatch/parameter-key';
import type { VersionDifference, WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { type Graph, nodeTitle, ownTitle } from '../graphs/graph.ts';

interface ComparedVersion {
  graph: Graph;
  parameters: readonly WorkflowParameter[];
}

type Part = VersionDifference['differences'][number]['part'];

/** The parts of a place: what differs, and the node or the field that has it. */
type Place = [part: Part, subject: string, field: string];

const shownProperties = ['name', 'label', 'description', 'hidden', 'pinned'] as const;

/** Returns what differs between two versions, by titles and inputs of nodes and by labels and properties of fields. */
export function versionDifferenceOf(
  left: ComparedVersion,
  right: ComparedVersion,
): Pick<VersionDifference, 'differences' | 'isCut'> {
  const names = new Map(right.parameters.map((parameter) => [parameterKey(parameter), parameter.name]));
  const inLeft = new Set(left.parameters.map(parameterKey));
  // A field that only one of them has is shown as the input that it sets.
  const common = new Map([...names].filter(([key]) => inLeft.has(key)));
  const { differences, isCut } = differencesOf(placesOf(left, common), placesOf(right, common));
  return {
    differences: differences.map(({ path, ...values }) => {
      const [part, subject, field] = JSON.parse(path) as Place;
      return { part, title: titleOf(part, subject, [right, left]), field, ...values };
    }),
    isCut,
  };
}

/** `common`: the fields that both versions have, with a name by which their order is told. */
function placesOf(
  { graph, parameters }: ComparedVersion,
  common: ReadonlyMap<string, string>,
): Map<string, unknown> {
  const places = new Map<string, unknown>();
  const put = (...[part, subject, field]: Place) => ({
    as: (value: unknown) => places.set(JSON.stringify([part, subject, field]), value),
  });
  for (const [id, node] of Object.entries(graph)) {
    put('graph', id, 'class_type').as(node.class_type);
    if (ownTitle(node) !== null) put('graph', id, '_meta.title').as(ownTitle(node));
    for (const [input, value] of Object.entries(node.inputs))
      put('graph', id, input).as(worded(graph, value));
  }
  const shown = parameters.filter((parameter) => common.has(parameterKey(parameter)));
  for (const parameter of shown) {
    for (const property of shownProperties)
      put('form', parameterKey(parameter), property).as(parameter[property]);
  }
  put('form', '', 'order').as(shown.map((parameter) => common.get(parameterKey(parameter))));
  return places;
}

/** A link as the title of the node that it comes from. */
function worded(graph: Graph, value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 2 || typeof value[0] !== 'string') return value;
  return `← ${nodeTitle(graph, value[0])} [${String(value[1])}]`;
}

function titleOf(part: Part, subject: string, versions: readonly ComparedVersion[]): string {
  for (const { graph, parameters } of versions) {
    if (part === 'graph' && Object.hasOwn(graph, subject)) return nodeTitle(graph, subject);
    const parameter = parameters.find((each) => part === 'form' && parameterKey(each) === subject);
    if (parameter) return parameter.label;
  }
  return '';
}

const maxDifferences = 500;
const maxTextLength = 500;

/** Compares two sets of values by their paths. Values are the same when their JSON is; long ones are cut. */
function differencesOf(left: ReadonlyMap<string, unknown>, right: ReadonlyMap<string, unknown>) {
  const paths = [...new Set([...left.keys(), ...right.keys()])];
  const differing = paths.filter(
    (path) => JSON.stringify(left.get(path)) !== JSON.stringify(right.get(path)),
  );
  return {
    differences: differing.slice(0, maxDifferences).map((path) => ({
      path,
      ...(left.has(path) && { left: shortened(left.get(path)) }),
      ...(right.has(path) && { right: shortened(right.get(path)) }),
    })),
    isCut: differing.length > maxDifferences,
  };
}

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxTextLength ? value : `${text.slice(0, maxTextLength)}…`;
}
