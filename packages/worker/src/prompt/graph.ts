/** A workflow in API format: node id → node. What is inside a node is only known after validation. */
export type PromptGraph = Record<string, GraphNode>;

export interface GraphNode {
  class_type: string;
  inputs: Record<string, unknown>;
  _meta?: { title?: string };
}

export type Link = [nodeId: string, slot: number];

/** As ComfyUI reads it: every list is a link. */
export function isLink(value: unknown): value is Link {
  return Array.isArray(value);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function nodeOf(graph: PromptGraph, id: string): GraphNode {
  const node = graph[id];
  if (node === undefined || !Object.hasOwn(graph, id)) throw new RangeError(`The graph has no node ${id}.`);
  return node;
}

/** Ids of the nodes that feed this one, in the order of its inputs. */
export function sourcesOf(node: GraphNode): string[] {
  return [
    ...new Set(
      Object.values(node.inputs)
        .filter(isLink)
        .map(([id]) => String(id)),
    ),
  ];
}

/**
 * The outputs and all nodes that they need, each node after its sources. The caller has checked that the graph has no
 * cycle.
 */
export function executionOrder(
  graph: PromptGraph,
  outputs: readonly string[],
  isDone: (id: string) => boolean,
): string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const stack = [...outputs].reverse().map((id) => ({ id, isOpen: false }));
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.isOpen) {
      order.push(top.id);
      continue;
    }
    if (seen.has(top.id)) continue;
    seen.add(top.id);
    stack.push({ id: top.id, isOpen: true });
    if (isDone(top.id)) continue;
    for (const source of sourcesOf(nodeOf(graph, top.id)).reverse())
      if (!seen.has(source) && !isDone(source)) stack.push({ id: source, isOpen: false });
  }
  return order;
}
