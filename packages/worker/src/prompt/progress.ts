interface NodeProgress {
  value: number;
  max: number;
  state: 'running' | 'finished';
}

/** How far each node of one run is. Each frame is a full picture of all nodes that have started. */
export class RunProgress {
  readonly #promptId: string;
  readonly #nodes = new Map<string, NodeProgress>();

  constructor(promptId: string) {
    this.#promptId = promptId;
  }

  start(nodeId: string): void {
    this.#nodes.set(nodeId, { value: 0, max: 1, state: 'running' });
  }

  update(nodeId: string, value: number, max: number): void {
    this.#nodes.set(nodeId, { value, max, state: 'running' });
  }

  finish(nodeId: string): void {
    const max = this.#nodes.get(nodeId)?.max ?? 1;
    this.#nodes.set(nodeId, { value: max, max, state: 'finished' });
  }

  frame(): { prompt_id: string; nodes: Record<string, unknown> } {
    const nodes = [...this.#nodes].map(([id, progress]) => [
      id,
      {
        ...progress,
        node_id: id,
        prompt_id: this.#promptId,
        display_node_id: id,
        parent_node_id: null,
        real_node_id: id,
      },
    ]);
    return { prompt_id: this.#promptId, nodes: Object.fromEntries(nodes) };
  }
}
