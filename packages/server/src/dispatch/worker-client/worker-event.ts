import type { ExecutionEnd, ExecutionError } from './worker-client.ts';

/**
 * An event that a worker reports to its runner. Events with a `promptId` are only about the gateway's prompts, and only while they
 * are watched.
 */
export type WorkerEvent =
  /**
   * The socket is open, for the first time or again: ask `locate` about running prompts, since any event may have been
   * missed.
   */
  | { type: 'socket_opened' }
  | { type: 'socket_closed' }
  /** The process behind the address is another one than before; what the old one held is gone. */
  | { type: 'worker_restarted' }
  /** Prompts that run and wait on the worker, from all clients. */
  | { type: 'queue_changed'; queueRemaining: number }
  | ExecutionEvent;

export type ExecutionEvent = { promptId: string } & (
  | { type: 'run_started' }
  /** Nodes whose results the worker still had. Sent for every execution, often with none. */
  | { type: 'nodes_cached'; nodeIds: string[] }
  /** `topNodeId` is the node of the submitted graph; `nodeId` may be a node that it expanded into. */
  | { type: 'node_started'; nodeId: string; topNodeId: string }
  | { type: 'node_progress'; nodeId: string; value: number; max: number }
  /** All nodes that have started so far, at most a few times a second. */
  | { type: 'progress_snapshot'; nodes: NodeProgress[] }
  | { type: 'node_finished'; nodeId: string; topNodeId: string }
  | { type: 'preview'; nodeId: string | null; mediaType: string; bytes: Uint8Array }
  /** The image is the node's output and exists nowhere else. */
  | { type: 'image_output'; nodeId: string; mediaType: string; bytes: Uint8Array }
  | { type: 'node_text'; nodeId: string; text: string }
  /** The execution has ended. The history may not be written yet. */
  | { type: 'run_ended'; end: ExecutionEnd; error: ExecutionError | null }
  /** The worker has settled the execution: the history is written and the next one may start. */
  | { type: 'run_settled' }
);

export interface NodeProgress {
  nodeId: string;
  topNodeId: string;
  value: number;
  max: number;
  isFinished: boolean;
}

export type OnWorkerEvent = (event: WorkerEvent) => void;
