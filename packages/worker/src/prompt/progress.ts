type State = 'running' | 'finished';

/**
 * The progress of each node of one prompt. Each frame lists all nodes that have started, so a prompt of n nodes sends
 * about n² entries; unchanged entries are kept as text.
 */
export class RunProgress {
  readonly #promptId: string;
  readonly #maxima = new Map<string, number>();
  readonly #texts = new Map<string, string>();

  constructor(promptId: string) {
    this.#promptId = promptId;
  }

  start(nodeId: string): void {
    this.#set(nodeId, { value: 0, max: 1, state: 'running' });
  }

  update(nodeId: string, value: number, max: number): void {
    this.#set(nodeId, { value, max, state: 'running' });
  }

  finish(nodeId: string): void {
    const max = this.#maxima.get(nodeId) ?? 1;
    this.#set(nodeId, { value: max, max, state: 'finished' });
  }

  /** The `progress_state` frame as JSON. */
  frame(): string {
    const promptId = JSON.stringify(this.#promptId);
    const nodes = [...this.#texts.values()].join(',');
    return `{"type":"progress_state","data":{"prompt_id":${promptId},"nodes":{${nodes}}}}`;
  }

  #set(nodeId: string, progress: { value: number; max: number; state: State }): void {
    const entry = {
      ...progress,
      node_id: nodeId,
      prompt_id: this.#promptId,
      display_node_id: nodeId,
      parent_node_id: null,
      real_node_id: nodeId,
    };
    this.#maxima.set(nodeId, progress.max);
    this.#texts.set(nodeId, `${JSON.stringify(nodeId)}:${JSON.stringify(entry)}`);
  }
}
