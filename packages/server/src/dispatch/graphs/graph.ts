import type { Fault } from '@switchyard/contract/errors';
import { isRecord } from '@switchyard/contract/is-record';
import { say, textOf, type Wording } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';

/**
 * A workflow in ComfyUI's API format: the class of each node, and for each input a value or a link `[node id, output]`.
 */
export type Graph = Record<string, GraphNode>;

export interface GraphNode {
  class_type: string;
  inputs: Record<string, unknown>;
  _meta?: unknown;
}

export type Link = [nodeId: string, output: number];

const graphLimits = {
  nodes: 5_000,
  inputs: 50_000,
  nodeIdLength: 200,
  classLength: 200,
  /** The depth of one input's value; a graph is flat, so this is generous. */
  depth: 32,
  /** A longer list of faults helps no one. */
  faults: 50,
} as const;

/** Returns the workflow as a graph for a worker. Throws an error with every fault and the node that has it. */
export function parseGraph(workflow: unknown): Graph {
  if (!isRecord(workflow)) throw invalid([fault([], say('workflow_no_object'))]);
  refuseOtherFormats(workflow);
  const ids = Object.keys(workflow);
  if (ids.length === 0) throw invalid([fault([], say('workflow_empty'))]);
  if (ids.length > graphLimits.nodes) {
    throw invalid([
      fault([], `The workflow has ${ids.length} nodes; at most ${graphLimits.nodes} are allowed.`),
    ]);
  }
  const faults: Fault[] = [];
  const nodes: [id: string, node: GraphNode][] = [];
  let inputs = 0;
  for (const id of ids) {
    const node = readNode(id, { given: workflow[id], workflow, faults });
    inputs += Object.keys(node?.inputs ?? {}).length;
    if (inputs > graphLimits.inputs) {
      faults.push(fault([id, 'inputs'], `The workflow has more than ${graphLimits.inputs} inputs.`));
      break;
    }
    if (node) nodes.push([id, node]);
    if (faults.length >= graphLimits.faults) break;
  }
  if (faults.length > 0) throw invalid(faults);
  // A node may have any id, `__proto__` too.
  const graph: Graph = Object.fromEntries(nodes);
  const cycle = cycleIn(graph);
  if (cycle) throw invalid([fault([cycle[0] ?? ''], say('nodes_in_cycle', { path: cycle.join(' → ') }))]);
  return graph;
}

export function isLink(value: unknown): value is Link {
  return (
    Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && typeof value[1] === 'number'
  );
}

/** Returns the nodes of a cycle in order, with the first one repeated at the end; null when there is no cycle. */
export function cycleIn(graph: Graph): string[] | null {
  /** Nodes from which no cycle can be reached. */
  const finished = new Set<string>();
  for (const start of Object.keys(graph)) {
    const cycle = finished.has(start) ? null : cycleFrom(start, { graph, finished });
    if (cycle) return cycle;
  }
  return null;
}

/** Searches depth first with its own stack: a long chain of nodes must not exhaust the call stack. */
function cycleFrom(
  start: string,
  { graph, finished }: { graph: Graph; finished: Set<string> },
): string[] | null {
  const path: string[] = [start];
  const onPath = new Set(path);
  const openLinks: string[][] = [sourcesOf(graph, start)];
  while (path.length > 0) {
    const next = openLinks.at(-1)?.pop();
    if (next === undefined) {
      const done = path.pop() ?? '';
      openLinks.pop();
      onPath.delete(done);
      finished.add(done);
    } else if (onPath.has(next)) {
      return [...path.slice(path.indexOf(next)), next];
    } else if (!finished.has(next)) {
      path.push(next);
      onPath.add(next);
      openLinks.push(sourcesOf(graph, next));
    }
  }
  return null;
}

/** The nodes that this one takes its inputs from. */
export function sourcesOf(graph: Graph, id: string): string[] {
  return Object.values(graph[id]?.inputs ?? {}).flatMap((value) => (isLink(value) ? [value[0]] : []));
}

/** The name that people use for a node: its title if it has one, otherwise its class. */
export function nodeTitle(graph: Graph, nodeId: string): string {
  const node = Object.hasOwn(graph, nodeId) ? graph[nodeId] : undefined;
  if (!node) return nodeId;
  return ownTitle(node) ?? node.class_type;
}

/** A label of a form has twice as much, so that the input still stands behind the title. */
const maxTitleLength = 100;

/** Returns the title that a person gave a node, cut where it is long: a form repeats it at each of its fields. */
export function ownTitle(node: GraphNode): string | null {
  const title = isRecord(node._meta) ? node._meta.title : undefined;
  if (typeof title !== 'string' || title === '') return null;
  if (title.length <= maxTitleLength) return title;
  // Half of a sign that takes two places is no text that other programs read.
  return `${title.slice(0, maxTitleLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function nodeClasses(graph: Graph): string[] {
  return [...new Set(Object.values(graph).map((node) => node.class_type))].sort();
}

/** The nodes that must run to make these outputs, themselves included. */
export function reachableFrom(graph: Graph, outputIds: Iterable<string>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...outputIds];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (reached.has(id) || !Object.hasOwn(graph, id)) continue;
    reached.add(id);
    waiting.push(...sourcesOf(graph, id));
  }
  return reached;
}

/**
 * The nodes that count towards the progress of an execution. Returns all nodes when it is not known which classes are
 * outputs, or when the graph has none of them.
 */
export function plannedNodes(graph: Graph, outputClasses: ReadonlySet<string> | null): Set<string> {
  const all = Object.keys(graph);
  const outputs = all.filter((id) => outputClasses?.has(graph[id]?.class_type ?? ''));
  return outputs.length > 0 ? reachableFrom(graph, outputs) : new Set(all);
}

function refuseOtherFormats(workflow: Record<string, unknown>): void {
  if (Array.isArray(workflow.nodes) && 'links' in workflow) throw new AppError('ui_format_workflow');
  if (isRecord(workflow.prompt) && !('class_type' in workflow.prompt) && !('inputs' in workflow.prompt)) {
    throw invalid([fault(['prompt'], say('workflow_in_prompt'))]);
  }
}

function readNode(
  id: string,
  { given, workflow, faults }: { given: unknown; workflow: Record<string, unknown>; faults: Fault[] },
): GraphNode | null {
  if (id.length > graphLimits.nodeIdLength) {
    faults.push(
      fault([id.slice(0, 40)], `A node id is at most ${graphLimits.nodeIdLength} characters long.`),
    );
    return null;
  }
  if (!isRecord(given)) {
    faults.push(fault([id], say('node_no_object', { node: id })));
    return null;
  }
  const { class_type: classType, inputs = {} } = given;
  if (typeof classType !== 'string' || classType === '' || classType.length > graphLimits.classLength) {
    faults.push(fault([id, 'class_type'], say('node_without_class', { node: id })));
    return null;
  }
  if (!isRecord(inputs)) {
    faults.push(fault([id, 'inputs'], `Node ${id} (${classType}): inputs must be an object.`));
    return null;
  }
  checkInputs(id, { classType, inputs, workflow, faults });
  return { ...given, class_type: classType, inputs };
}

interface InputsContext {
  classType: string;
  inputs: Record<string, unknown>;
  workflow: Record<string, unknown>;
  faults: Fault[];
}

function checkInputs(id: string, { classType, inputs, workflow, faults }: InputsContext): void {
  for (const [name, value] of Object.entries(inputs)) {
    const problem = problemOf(value, { workflow, node: id, nodeClass: classType, input: name });
    if (problem === null) continue;
    faults.push(fault([id, 'inputs', name], problem));
    if (faults.length >= graphLimits.faults) return;
  }
}

/** Returns null when a worker can read the value of the input. */
function problemOf(
  value: unknown,
  {
    workflow,
    ...place
  }: { workflow: Record<string, unknown>; node: string; nodeClass: string; input: string },
): Wording | null {
  const where = `Node ${place.node} (${place.nodeClass}), input "${place.input}"`;
  if (isLink(value)) {
    const [target, output] = value;
    if (!Object.hasOwn(workflow, target)) return say('link_to_nothing', { ...place, target });
    const isOutput = Number.isInteger(output) && output >= 0;
    return isOutput ? null : `${where} links to output ${output}; outputs count from 0.`;
  }
  const isTooDeep = isDeeperThan(value, graphLimits.depth);
  return isTooDeep ? `${where} is nested deeper than ${graphLimits.depth} levels.` : null;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}

function fault(path: (string | number)[], message: Wording): Fault {
  return { in: 'body', path: ['workflow', ...path], message, type: 'invalid_workflow' };
}

function invalid(faults: Fault[]): AppError {
  const [first] = faults;
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more; see details)` : '';
  return new AppError('invalid_workflow', { message: `${textOf(first?.message ?? '')}${others}`, faults });
}
