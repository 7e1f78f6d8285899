import type { RunEnd, RunError } from './worker-client.ts';

/** What a worker lets its runner hear. Events with a `promptId` are about own runs only, and only while watched. */
export type WorkerEvent =
  /** The socket is open, the first time or again: ask `locate` about what runs, for anything may have been missed. */
  | { type: 'socket_opened' }
  | { type: 'socket_closed' }
  /** The process behind the address is another one than before; what it held is gone. */
  | { type: 'worker_restarted' }
  /** Running and waiting on the worker, everybody's. */
  | { type: 'queue_changed'; queueRemaining: number }
  | RunEvent;

export type RunEvent = { promptId: string } & (
  | { type: 'run_started' }
  /** Nodes whose results the worker still had. Sent for every run, often with none. */
  | { type: 'nodes_cached'; nodeIds: string[] }
  /** `topNodeId` is the node of the submitted graph; the other may be one that it expanded into. */
  | { type: 'node_started'; nodeId: string; topNodeId: string }
  | { type: 'node_progress'; nodeId: string; value: number; max: number }
  /** All nodes that have started so far, at most a few times a second. */
  | { type: 'progress_snapshot'; nodes: NodeProgress[] }
  | { type: 'node_finished'; nodeId: string; topNodeId: string }
  | { type: 'preview'; nodeId: string | null; mediaType: string; bytes: Uint8Array }
  /** The image is the node's output and exists nowhere else. */
  | { type: 'image_output'; nodeId: string; mediaType: string; bytes: Uint8Array }
  | { type: 'node_text'; nodeId: string; text: string }
  /** How it ended. The history may not be written yet. */
  | { type: 'run_ended'; end: RunEnd; error: RunError | null }
  /** The worker has put the run away: the history is there and the next one may start. */
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
