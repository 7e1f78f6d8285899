import { createHash, randomUUID } from 'node:crypto';
import type { NodeRegistry } from '../nodes/registry.ts';
import { byteLength } from '../nodes/values.ts';
import { executionOrder, isLink, nodeOf, type PromptGraph } from './graph.ts';

export interface CachedNode {
  values: readonly unknown[];
  ui: Record<string, readonly unknown[]> | undefined;
}

/**
 * The last outputs of unchanged nodes, by signature. As in ComfyUI, only outputs that the present prompt can use stay.
 * Above the byte limit the oldest is dropped first and computed again when needed.
 */
export class OutputCache {
  readonly #nodes = new Map<string, { node: CachedNode; sizeBytes: number }>();
  readonly #maxBytes: number;
  #sizeBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(signature: string): CachedNode | undefined {
    return this.#nodes.get(signature)?.node;
  }

  keepOnly(signatures: ReadonlySet<string>): void {
    for (const signature of this.#nodes.keys()) if (!signatures.has(signature)) this.#drop(signature);
  }

  set(signature: string, node: CachedNode): void {
    const sizeBytes = node.values.reduce<number>((sum, value) => sum + byteLength(value), 64);
    if (sizeBytes > this.#maxBytes) return;
    this.#drop(signature);
    this.#nodes.set(signature, { node, sizeBytes });
    this.#sizeBytes += sizeBytes;
    for (const oldest of this.#nodes.keys()) {
      if (this.#sizeBytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  /** Drops the nodes with these shown outputs, so that they run again. */
  dropShowing(isIt: (ui: NonNullable<CachedNode['ui']>) => boolean): void {
    for (const [signature, { node }] of this.#nodes) {
      if (node.ui !== undefined && isIt(node.ui)) this.#drop(signature);
    }
  }

  clear(): void {
    this.#nodes.clear();
    this.#sizeBytes = 0;
  }

  #drop(signature: string): void {
    this.#sizeBytes -= this.#nodes.get(signature)?.sizeBytes ?? 0;
    this.#nodes.delete(signature);
  }
}

/**
 * The values that decide whether a node is unchanged: its class, its inputs, its fingerprint, and the same of all nodes
 * upstream. Node ids do not count, unless the node asks for its own id.
 */
export async function signaturesOf(
  graph: PromptGraph,
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
