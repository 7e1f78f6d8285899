import type { Readable } from 'node:stream';
import type { ProbeCause } from '@switchyard/contract/dispatch/instance';

/**
 * One worker as the runner of its instance sees it. The event socket is a hint, `locate` is the truth: what a worker
 * says about a run is believed only from its queue and its history.
 *
 * Calls reject with a `WorkerCallError` when the worker cannot be asked; an answer that was given is never an error.
 */
export interface WorkerClient {
  /** Keeps the event socket open until `close`, again and again. Events arrive at `onEvent` of the options. */
  open(): void;
  /**
   * Drops the socket and opens a new one: the cure for a socket that is open and hears nothing. Resolves when the new
   * one is open or the first try has failed.
   */
  reopen(): Promise<void>;
  close(): Promise<void>;

  /** Whether the event socket is open now. Open is not the same as hearing. */
  readonly isConnected: boolean;
  /** How many messages came in over the event socket so far, about whatever. */
  readonly framesHeard: number;

  /** Is it alive and what is it? Answers the cause instead of rejecting. */
  probe(options?: { signal?: AbortSignal }): Promise<ProbeOutcome>;
  /** What it can run. Large and slow on real workers. */
  capabilities(options?: { signal?: AbortSignal }): Promise<WorkerCapabilities>;
  /** The same, and null when the worker answers byte for byte what it answered the last time. */
  changedCapabilities(options?: { signal?: AbortSignal }): Promise<WorkerCapabilities | null>;

  /** Hands over a run and listens for its events from before the request on. */
  submit(run: RunToSubmit): Promise<SubmitOutcome>;
  /** Listens again for a run that was submitted before, by this process or by an earlier one. */
  watch(run: WatchedRun): void;
  /** Stops listening for a run. */
  forget(promptId: string): void;

  /** Where a run is now: asks the queue, then the history, in this order, so that a run that moves is not missed. */
  locate(promptId: string): Promise<RunLocation>;
  /**
   * `locate`, and when the run is nowhere once more after `graceMs`, for a request whose answer was lost may still be on
   * its way through the worker. A run that is nowhere and was heard from its start to its end has finished.
   */
  reconcile(promptId: string, options: { graceMs: number; signal?: AbortSignal }): Promise<ReconcileOutcome>;
  /**
   * The result of a run that was seen to end. Waits a moment for a history that is not written yet. Where the history has
   * no entry, it is what the event socket told, if that told all of it; null otherwise.
   */
  result(promptId: string): Promise<RunResult | null>;
  /** Takes the run out of the queue or asks the worker to stop it, never anybody else's. */
  cancel(promptId: string): Promise<CancelOutcome>;

  /** Puts a file where the nodes that load inputs find it, and answers the name to load it by. */
  pushFile(file: FileToPush, options?: { signal?: AbortSignal }): Promise<string>;
  /** Opens an output; null when the worker does not have it. The caller reads the body to its end or destroys it. */
  pullOutput(output: OutputFile, options: PullOptions): Promise<PulledOutput | null>;

  /** Lets the worker delete what the run made, where the worker says that it does so. Others are left as they are. */
  discardOutputs(promptId: string): Promise<void>;

  /** Asks the worker to unload models and free memory before its next run. */
  freeMemory(): Promise<void>;
}

export type ProbeOutcome =
  | {
      ok: true;
      latencyMs: number;
      /** As the worker writes it; null when it does not say. */
      version: string | null;
      devices: WorkerDevice[];
      /** Running and waiting, everybody's. */
      queueRemaining: number;
    }
  | { ok: false; latencyMs: number; cause: ProbeCause; message: string };

export interface WorkerDevice {
  name: string;
  memoryTotalBytes: number | null;
  memoryFreeBytes: number | null;
}

export interface WorkerCapabilities {
  nodeClasses: string[];
  /** Classes whose nodes make a run's outputs. */
  outputClasses: string[];
  /** Per `<class>.<input>` the model files on offer. */
  models: Record<string, string[]>;
  /** Per class, and per input that takes a plain value, what it takes. */
  inputs: Record<string, Record<string, NodeInput>>;
}

/** What an input of a node takes, where that is a value and no link. */
export interface NodeInput {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'choice' | 'model' | 'file';
  minimum?: number;
  maximum?: number;
  /** Of `choice` and `model`. */
  choices?: string[];
  multiline?: true;
  description?: string;
}

export interface WatchedRun {
  promptId: string;
  /** Class per node id, to tell an image that is a node's output from a preview of it. */
  classOf: (nodeId: string) => string | undefined;
}

export interface RunToSubmit extends WatchedRun {
  /** The graph as JSON text, with params applied and files named as `pushFile` answered. */
  graphJson: string;
  /** Goes to the worker as `extra_data`, JSON text of an object. */
  extraDataJson?: string;
  /** Ids of the output nodes to run; all without it. */
  targets?: readonly string[];
  signal?: AbortSignal;
}

export type SubmitOutcome =
  /** It is in the worker's queue. `skipped` are broken outputs that it leaves out silently while it runs the rest. */
  | { outcome: 'accepted'; number: number; skipped: NodeFault[] }
  /** It says that the graph is wrong, and it would say so again. */
  | { outcome: 'invalid'; error: NodeFault; faults: NodeFault[] }
  /** It lacks a node class, or a value such as a model: another worker may have it. */
  | { outcome: 'incapable'; lacks: 'node_class' | 'value'; error: NodeFault; faults: NodeFault[] }
  /** An input file that was pushed earlier is not there any more. */
  | { outcome: 'input_missing'; error: NodeFault; faults: NodeFault[] }
  /** It certainly did not take it; nothing runs. */
  | { outcome: 'not_taken'; cause: WorkerCallCause; message: string }
  /** It may run or not. Only `reconcile` can tell; a lost answer never means "no". */
  | { outcome: 'unknown'; cause: WorkerCallCause; message: string };

/** One thing that is wrong with one node, as the worker says it. */
export interface NodeFault {
  nodeId: string | null;
  nodeClass: string | null;
  /** The worker's word, such as `value_not_in_list`. */
  type: string;
  message: string;
}

export type RunLocation =
  | { state: 'running' }
  /** `ahead`: how many others the worker does first. */
  | { state: 'waiting'; ahead: number }
  | { state: 'finished'; result: RunResult }
  | { state: 'absent' };

export type ReconcileOutcome =
  | Exclude<RunLocation, { state: 'absent' }>
  /**
   * `isSameProcess` true: the worker has run on without a break since before the submission, so it never took the run,
   * and it may be sent again under the same id. Otherwise it may have been running and is lost.
   */
  | { state: 'absent'; isSameProcess: boolean };

export type RunEnd = 'succeeded' | 'failed' | 'interrupted';

export interface RunResult {
  end: RunEnd;
  /** Only for `failed`. */
  error: RunError | null;
  files: OutputFile[];
  texts: OutputText[];
  /** Outputs that were named in a way that no file can have; they count as missing. */
  rejected: number;
  /** Nodes whose outputs came from the worker's cache: nothing new was made for them. */
  cachedNodes: string[];
}

export interface RunError {
  /**
   * `node`: the graph's fault. `out_of_memory` and `device`: the worker's trouble, another may succeed.
   */
  kind: 'node' | 'out_of_memory' | 'device';
  /** One sentence without traceback and without inputs, which may hold other people's text. */
  message: string;
  nodeId: string | null;
  nodeClass: string | null;
}

export interface OutputFile {
  nodeId: string;
  filename: string;
  subfolder: string;
  folder: 'output' | 'temp' | 'input';
}

export interface OutputText {
  nodeId: string;
  text: string;
}

export type CancelOutcome =
  /** It waited and is gone; it left no trace on the worker. */
  | { outcome: 'removed' }
  /** It runs and was asked to stop, which it does at the next border between nodes. */
  | { outcome: 'stopping' }
  /** It runs and this worker is too old to stop one run without stopping somebody else's. */
  | { outcome: 'cannot_stop' }
  | { outcome: 'finished'; result: RunResult };

export interface FileToPush {
  sha256: string;
  /** Without the dot, as the nodes that load files go by it. */
  extension: string;
  sizeBytes: number;
  open: () => Readable;
}

export interface PullOptions {
  maxBytes: number;
  signal?: AbortSignal;
}

export interface PulledOutput {
  contentType: string;
  /** As announced; the body may still be cut off, which is then its error. */
  sizeBytes: number | null;
  /** Fails with a `WorkerCallError` beyond the byte cap, after the deadline, or when the worker breaks off. */
  body: Readable;
}

export type WorkerCallCause = ProbeCause | 'broken_off' | 'bad_answer' | 'too_large' | 'aborted';

/** A call to a worker that gave no usable answer. */
export class WorkerCallError extends Error {
  readonly workerCause: WorkerCallCause;
  /** False only when it is certain that the worker never saw any of the request. */
  readonly mayHaveArrived: boolean;
  readonly status: number | null;

  constructor(
    workerCause: WorkerCallCause,
    message: string,
    options: { mayHaveArrived?: boolean; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'WorkerCallError';
    this.workerCause = workerCause;
    this.mayHaveArrived = options.mayHaveArrived ?? true;
    this.status = options.status ?? null;
  }
}
