import { createHash, randomUUID } from 'node:crypto';
import type { NodeRegistry } from '../nodes/registry.ts';
import { executionOrder, type Graph, isLink, nodeOf } from './graph.ts';

/**
 * The values that decide whether a node is unchanged: its class, its inputs, its fingerprint, and the same of all nodes
 * upstream. Node ids do not count, unless the node asks for its own id.
 */
export async function signaturesOf(
  graph: Graph,
  { outputs, registry }: { outputs: readonly string[]; registry: NodeRegistry },
): Promise<Map<string, string>> {
  const signatures = new Map<string, string>();
  for (const id of executionOrder(graph, outputs, () => false)) {
    const node = nodeOf(graph, id);
    const nodeClass = registry.require(node.class_type);
    const inputs = Object.entries(node.inputs)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, value]) => [
        name,
        isLink(value) ? { from: signatures.get(value[0]), slot: value[1] } : value,
      ]);
    const ownId = Object.values(nodeClass.inputs.hidden).includes('UNIQUE_ID') ? id : undefined;
    // A file that cannot be read now must not match an earlier one.
    const fingerprint = await nodeClass.fingerprint?.(node.inputs, registry.files).catch(() => randomUUID());
    const parts = JSON.stringify([node.class_type, ownId, fingerprint, inputs]);
    signatures.set(id, createHash('sha256').update(parts).digest('hex'));
  }
  return signatures;
}
