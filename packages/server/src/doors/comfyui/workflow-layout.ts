import { type Graph, isLink, type Link, ownTitle, sourcesOf } from '../../dispatch/graphs/graph.ts';
import { choicesOf, inputsOf, type NodeDefinition, takesFile } from '../../dispatch/instances/pool-nodes.ts';

/** A workflow as the page of ComfyUI draws it. Only what the page needs to open it. */
interface DrawnWorkflow {
  version: number;
  last_node_id: number;
  last_link_id: number;
  nodes: DrawnNode[];
  links: DrawnLink[];
  groups: [];
  config: object;
  extra: object;
}

interface DrawnNode {
  id: number;
  type: string;
  title?: string;
  pos: [number, number];
  size: [number, number];
  flags: object;
  order: number;
  mode: number;
  inputs: { name: string; type: string; link: number | null; widget?: { name: string } }[];
  outputs: { name: string; type: string; links: number[]; slot_index: number }[];
  properties: object;
  widgets_values: unknown[];
}

/** Its id, the node and slot that it comes from, the node and slot that it leads to, and what it carries. */
type DrawnLink = [number, number, number, number, number, string];
type Definitions = ReadonlyMap<string, NodeDefinition>;

const width = 320;
const columnStep = 400;
const rowGap = 40;
/** No node has more outputs. A link may name any number. */
const maxSlot = 200;
const valueTypes = new Set(['INT', 'FLOAT', 'STRING', 'BOOLEAN', 'COMBO']);
const seeds = new Set(['seed', 'noise_seed']);

/**
 * Turns the graph of a prompt into the workflow that the page of ComfyUI opens. A workflow needs places, slots by
 * number, and values in the order of the node's own fields. Nodes stand in columns from left to right, each behind all
 * that it takes from.
 */
export function drawWorkflow(graph: Graph, definitions: Definitions): DrawnWorkflow {
  const ids = numbersOf(graph);
  const places = placesOf(graph);
  const nodes = new Map<string, DrawnNode>();
  for (const [id, node] of Object.entries(graph)) {
    const type = node.class_type;
    const title = ownTitle(node);
    const column = places.get(id) ?? 0;
    nodes.set(id, {
      id: ids.get(id) ?? 0,
      type,
      ...(title !== null && { title }),
      pos: [column * columnStep, 0],
      size: [width, 0],
      flags: {},
      order: column,
      mode: 0,
      inputs: [],
      outputs: outputsOf(definitions.get(type)),
      properties: { 'Node name for S&R': type },
      widgets_values: [],
    });
  }
  const links: DrawnLink[] = [];
  for (const [id, node] of nodes) fill(node, graph[id]?.inputs ?? {}, { nodes, links, definitions });
  stack([...nodes.values()]);
  return {
    version: 0.4,
    last_node_id: Math.max(0, ...ids.values()),
    last_link_id: links.length,
    nodes: [...nodes.values()],
    links,
    groups: [],
    config: {},
    extra: {},
  };
}

/** Returns a number for each node. Ids of nodes in subgraphs are not numbers, so these nodes get free ones. */
function numbersOf(graph: Graph): Map<string, number> {
  const known = Object.keys(graph).filter((id) => /^[1-9]\d{0,8}$/.test(id));
  let last = Math.max(0, ...known.map(Number));
  const isKnown = new Set(known);
  return new Map(Object.keys(graph).map((id) => [id, isKnown.has(id) ? Number(id) : ++last]));
}

/** The column of each node: one more than the last of those that it takes from. A graph has no circle. */
function placesOf(graph: Graph): Map<string, number> {
  const columns = new Map<string, number>();
  const waiting = Object.keys(graph);
  for (let id = waiting.at(-1); id !== undefined; id = waiting.at(-1)) {
    const sources = sourcesOf(graph, id);
    const open = sources.filter((source) => !columns.has(source));
    if (columns.has(id) || open.length === 0) {
      waiting.pop();
      columns.set(id, Math.max(-1, ...sources.map((source) => columns.get(source) ?? -1)) + 1);
    } else waiting.push(...open);
  }
  return columns;
}

function outputsOf(definition: NodeDefinition | undefined): DrawnNode['outputs'] {
  const types = Array.isArray(definition?.output) ? definition.output : [];
  const names = Array.isArray(definition?.output_name) ? definition.output_name : [];
  return types.map((type, index) => ({
    name: String(names[index] ?? type),
    type: typeOf(type),
    links: [],
    slot_index: index,
  }));
}

interface Drawn {
  nodes: ReadonlyMap<string, DrawnNode>;
  links: DrawnLink[];
  definitions: Definitions;
}

/** Adds what the node takes, in the order of its class; inputs that the class does not name come last. */
function fill(node: DrawnNode, given: Record<string, unknown>, drawn: Drawn): void {
  const definition = drawn.definitions.get(node.type);
  const specified = definition ? [...inputsOf(definition)] : [];
  const names = new Set(specified.map(({ name }) => name));
  for (const { name, specification } of specified)
    addInput(node, { name, specification, value: given[name] }, drawn);
  for (const [name, value] of Object.entries(given))
    if (!names.has(name))
      addInput(node, { name, specification: isLink(value) ? ['*'] : ['COMBO'], value }, drawn);
  // The button for uploads is a field of the page.
  if (specified.some(({ specification }) => takesFile(specification))) node.widgets_values.push('image');
}

function addInput(
  node: DrawnNode,
  { name, specification, value }: { name: string; specification: readonly unknown[]; value: unknown },
  drawn: Drawn,
): void {
  const link = isLink(value) ? value : null;
  const isField = takesValue(specification);
  if (isField) node.widgets_values.push(...valuesOf(name, link ? undefined : value, specification));
  if (isField && !link) return;
  const type = typeOf(specification[0]);
  node.inputs.push({ name, type, link: null, ...(isField && { widget: { name } }) });
  if (link) connect(node, link, drawn);
}

function connect(node: DrawnNode, [from, slot]: Link, { nodes, links }: Drawn): void {
  const source = nodes.get(from);
  const input = node.inputs.at(-1);
  if (!source || !input || !Number.isInteger(slot) || slot < 0 || slot > maxSlot) return;
  while (source.outputs.length <= slot)
    source.outputs.push({ name: '*', type: '*', links: [], slot_index: source.outputs.length });
  const output = source.outputs[slot];
  if (!output) return;
  const id = links.length + 1;
  links.push([id, source.id, slot, node.id, node.inputs.length - 1, output.type]);
  output.links.push(id);
  input.link = id;
}

function takesValue(specification: readonly unknown[]): boolean {
  const [type, options] = specification;
  if ((options as { forceInput?: unknown } | undefined)?.forceInput === true) return false;
  return Array.isArray(type) || valueTypes.has(String(type));
}

/** The value of a field, and what the page keeps behind that of a seed: that it stays as it is. */
function valuesOf(name: string, given: unknown, specification: readonly unknown[]): unknown[] {
  const [type, options] = specification as [unknown, Record<string, unknown> | undefined];
  const value = given ?? options?.default ?? choicesOf(specification)?.[0] ?? null;
  const isSeed = options?.control_after_generate === true || (type === 'INT' && seeds.has(name));
  return isSeed ? [value, 'fixed'] : [value];
}

function typeOf(type: unknown): string {
  return Array.isArray(type) ? 'COMBO' : String(type);
}

/** Places the nodes of each column below each other. */
function stack(nodes: readonly DrawnNode[]): void {
  const below = new Map<number, number>();
  for (const node of nodes) {
    const rows = Math.max(node.inputs.length, node.outputs.length) + node.widgets_values.length;
    const height = 60 + rows * 26;
    const [x] = node.pos;
    const y = below.get(x) ?? 0;
    node.pos = [x, y];
    node.size = [width, height];
    below.set(x, y + height + rowGap);
  }
}
