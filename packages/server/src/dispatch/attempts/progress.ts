import type { ExecutionEvent, NodeProgress } from '../worker-client/worker-event.ts';

/** Never 100 before the end: how many nodes an execution really needs is known only afterwards. */
export const maxProgressBeforeEnd = 99;
/** Nodes that loop may expand into any number of others; further ones are not tracked. */
const maxExpandedNodes = 10_000;

export interface ProgressView {
  percent: number;
  /** The node of the submitted graph that runs, by id. */
  nodeId: string | null;
  step: number | null;
  steps: number | null;
}

/**
 * Progress of one execution over the whole workflow: finished nodes plus the finished parts of running ones, divided by
 * the planned nodes. It never goes back, and never beyond 99. A node that expands into others counts as one, and only
 * its own end ends it.
 */
export class ExecutionProgress {
  readonly #planned: ReadonlySet<string>;
  readonly #done = new Set<string>();
  readonly #partDone = new Map<string, number>();
  readonly #topNodeOf = new Map<string, string>();
  #percent: number;
  #nodeId: string | null = null;
  #step: number | null = null;
  #steps: number | null = null;

  /** `percent` is the progress of an attempt that is resumed. */
  constructor(planned: ReadonlySet<string>, percent = 0) {
    this.#planned = planned;
    this.#percent = Math.min(Math.max(percent, 0), maxProgressBeforeEnd);
  }

  get view(): ProgressView {
    return { percent: this.#percent, nodeId: this.#nodeId, step: this.#step, steps: this.#steps };
  }

  /** Applies an event; returns true when there is something new to show. */
  apply(event: ExecutionEvent): boolean {
    const before = this.view;
    this.#takeIn(event);
    this.#percent = Math.max(this.#percent, this.#computed());
    const after = this.view;
    return (
      before.percent !== after.percent ||
      before.nodeId !== after.nodeId ||
      before.step !== after.step ||
      before.steps !== after.steps
    );
  }

  #takeIn(event: ExecutionEvent): void {
    switch (event.type) {
      case 'nodes_cached':
        for (const nodeId of event.nodeIds) this.#finish(nodeId);
        return;
      case 'node_started':
        this.#start(event.nodeId, event.topNodeId);
        return;
      case 'node_progress':
        this.#advance(event.nodeId, event.value, event.max);
        return;
      case 'progress_snapshot':
        for (const node of event.nodes) this.#takeSnapshot(node);
        return;
      case 'node_finished':
        if (event.nodeId === event.topNodeId) this.#finish(event.nodeId);
        return;
      default:
    }
  }

  /**
   * One node runs at a time, so the node before is done. A node that was put off until its sources are ready starts
   * again.
   */
  #start(nodeId: string, topNodeId: string): void {
    this.#learn(nodeId, topNodeId);
    if (topNodeId === this.#nodeId) return;
    if (this.#nodeId !== null) this.#finish(this.#nodeId);
    this.#nodeId = topNodeId;
    this.#step = null;
    this.#steps = null;
  }

  #advance(nodeId: string, value: number, max: number): void {
    if (!(max > 0) || !(value >= 0)) return;
    const topNodeId = this.#topNodeOf.get(nodeId) ?? nodeId;
    const part = Math.min(value / max, 1);
    if (this.#planned.has(topNodeId)) {
      this.#partDone.set(topNodeId, Math.max(this.#partDone.get(topNodeId) ?? 0, part));
    }
    if (topNodeId !== this.#nodeId) return;
    this.#step = Math.floor(Math.min(value, max));
    this.#steps = Math.floor(max);
  }

  #takeSnapshot({ nodeId, topNodeId, value, max, isFinished }: NodeProgress): void {
    this.#learn(nodeId, topNodeId);
    if (!isFinished) this.#advance(nodeId, value, max);
    else if (nodeId === topNodeId) this.#finish(nodeId);
  }

  #learn(nodeId: string, topNodeId: string): void {
    if (nodeId !== topNodeId && this.#topNodeOf.size < maxExpandedNodes)
      this.#topNodeOf.set(nodeId, topNodeId);
  }

  #finish(nodeId: string): void {
    if (this.#planned.has(nodeId)) this.#done.add(nodeId);
    this.#partDone.delete(nodeId);
  }

  #computed(): number {
    if (this.#planned.size === 0) return 0;
    let sum = 0;
    for (const nodeId of this.#planned) sum += this.#done.has(nodeId) ? 1 : (this.#partDone.get(nodeId) ?? 0);
    return Math.min(Math.floor((100 * sum) / this.#planned.size), maxProgressBeforeEnd);
  }
}
