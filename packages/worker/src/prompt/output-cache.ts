import { byteLength } from '../nodes/values.ts';

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
