/** Instances come and go; a series that a scraper has seen costs memory here and there for ever. */
const mostInstances = 100;
const otherInstances = 'other';

/** The values of the label `instance`: the first hundred by name, the rest together. */
export class InstanceLabels {
  readonly #known = new Set<string>();

  of(instanceId: string): string {
    if (this.#known.has(instanceId)) return instanceId;
    if (this.#known.size >= mostInstances) return otherInstances;
    this.#known.add(instanceId);
    return instanceId;
  }

  /** False when it had no label of its own. */
  forget(instanceId: string): boolean {
    return this.#known.delete(instanceId);
  }
}
