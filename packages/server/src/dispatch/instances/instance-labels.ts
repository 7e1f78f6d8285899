/** Instances come and go; a series that a scraper has seen costs memory in both processes for ever. */
const maxInstances = 100;
const otherInstances = 'other';

/** The values of the label `instance`: the first hundred instances each have one, the rest share one. */
export class InstanceLabels {
  readonly #known = new Set<string>();

  of(instanceId: string): string {
    if (this.#known.has(instanceId)) return instanceId;
    if (this.#known.size >= maxInstances) return otherInstances;
    this.#known.add(instanceId);
    return instanceId;
  }

  /** Returns false when the instance had no label of its own. */
  forget(instanceId: string): boolean {
    return this.#known.delete(instanceId);
  }
}
