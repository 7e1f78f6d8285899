import type { DispatchEvent } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { DispatchOrders } from './dispatch-orders.ts';

/** A task with the node that its worker executes. */
export interface RunningNode {
  taskId: string;
  nodeId: string;
  topNodeId: string;
}

/** The time for an answer. A client without one loses little, because the next node is reported anyway. */
const answerWaitMs = 1_000;
/** The number of nodes of one user that an answer has room for. */
const maxInAnswer = 200;

/** The node that each task runs, for clients that come back. Only the dispatcher knows it, and the others ask. */
export class RunningNodes {
  readonly #options;
  readonly #running = new Map<string, RunningNode & { owner: string }>();
  readonly #stop: () => void;

  constructor(
    options: Pick<DispatchParts, 'events'> & {
      /** Null when no other replica can be asked. */
      orders: Pick<DispatchOrders, 'ask'> | null;
      isDispatcher: () => boolean;
    },
  ) {
    this.#options = options;
    this.#stop = options.events.listenHere((event) => this.#note(event));
  }

  close(): void {
    this.#stop();
  }

  /** Nodes that ran under an earlier dispatcher may have ended since. */
  forgetAll(): void {
    this.#running.clear();
  }

  async of(owner: string): Promise<RunningNode[]> {
    const { orders, isDispatcher } = this.#options;
    if (isDispatcher() || !orders) return this.here(owner);
    const answer = await orders.ask({ kind: 'running', owner }, { waitMs: answerWaitMs });
    return Array.isArray(answer) ? answer : [];
  }

  /** Returns the nodes that this replica knows itself. */
  here(owner: string): RunningNode[] {
    const found: RunningNode[] = [];
    for (const { owner: its, ...node } of this.#running.values()) if (its === owner) found.push(node);
    return found.slice(0, maxInAnswer);
  }

  #note(event: DispatchEvent): void {
    if (event.type === 'task_ended' || event.type === 'task_requeued') this.#running.delete(event.task.id);
    if (event.type !== 'task_execution' || event.event.type !== 'node_started') return;
    const { taskId, owner } = event;
    const { nodeId, topNodeId } = event.event;
    this.#running.set(taskId, { taskId, owner, nodeId, topNodeId });
  }
}
