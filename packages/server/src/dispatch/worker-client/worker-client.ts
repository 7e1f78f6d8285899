import type { Readable } from 'node:stream';
import type { ProbeCause, WorkerReport } from '@switchyard/contract/dispatch/instance';
import type { Wording } from '@switchyard/contract/sentences/sentences';
import { WordedError } from '../../lib/app-error.ts';

/**
 * One worker as the runner of its instance sees it. The event socket is a hint, `locate` is the truth: only the
 * worker's queue and history decide what has become of an execution.
 * Calls reject with a `WorkerCallError` when the worker cannot be asked; an answer that was given is never an error.
 */
export interface WorkerClient {
  /**
   * Opens the event socket, and opens it again after each loss, until `close`. Events go to `onEvent` of the options.
   */
  open(): void;
  /**
   * Closes the socket and opens a new one, which repairs a socket that is open and receives nothing. Resolves when the
   * new one is open or the first try has failed.
   */
  reopen(): Promise<void>;
  close(): Promise<void>;

  /** True while the event socket is open. An open socket may still receive nothing. */
  readonly isConnected: boolean;
  /** The number of messages of any kind that came over the event socket so far. */
  readonly framesHeard: number;
  /**
   * A prompt that is in the history of the present worker process, for finding out later whether it was restarted. Null
   * when none is known since the event socket was opened.
   */
  readonly knownPromptId: string | null;

  /** Asks whether the worker is alive and what it is. Returns the cause instead of rejecting. */
  probe(options?: { signal?: AbortSignal }): Promise<ProbeOutcome>;
  /** Returns what it can run. The answer is large and slow on real workers. */
  capabilities(options?: { signal?: AbortSignal }): Promise<WorkerCapabilities>;
  /** The same, but null when the answer equals the last one byte for byte. */
  changedCapabilities(options?: { signal?: AbortSignal }): Promise<WorkerCapabilities | null>;

  /** Submits a prompt and listens for its events from before the request on. */
  submit(prompt: PromptToSubmit): Promise<SubmitOutcome>;
  /** Listens again for a prompt that was submitted before, by this process or by an earlier one. */
  watch(execution: WatchedExecution): void;
  /** Stops listening for a prompt. */
  forget(promptId: string): void;

  /** Returns where a prompt is now: it asks the queue, then the history. In this order a prompt that moves on is not missed. */
  locate(promptId: string): Promise<ExecutionLocation>;
  /**
   * Does the same as `locate`, but asks once more after `graceMs` when the prompt is nowhere, since a request whose
   * answer was lost may still be on its way through the worker. A prompt that is nowhere and was heard from its start
   * to its end has finished. `knownPromptId` is one that the worker knew before this one was submitted.
   */
  reconcile(
    promptId: string,
    options: { graceMs: number; knownPromptId: string | null; signal?: AbortSignal },
  ): Promise<ReconcileOutcome>;
  /**
   * The result of an execution that was seen to end. Waits a moment for a history that is not written yet. Without an
   * entry in the history it is what the event socket told, if that was complete, and null otherwise.
   */
  result(promptId: string): Promise<ExecutionResult | null>;
  /** Takes the prompt out of the queue or asks the worker to stop it; never stops a prompt of another client. */
  cancel(promptId: string): Promise<CancelOutcome>;

  /**
   * Puts a file where the nodes that load inputs find it, and returns the name to load it by. Sends nothing when the worker
   * is known to take no request of this size.
   */
  pushFile(file: FileToPush, options?: { signal?: AbortSignal }): Promise<string>;
  /** Opens an output; null when the worker does not have it. The caller reads the body to its end or destroys it. */
  pullOutput(output: OutputFile, options: PullOptions): Promise<PulledOutput | null>;

  /**
   * Asks the worker to delete the outputs of an execution, if the worker reports that it can. Other workers keep them.
   */
  discardOutputs(promptId: string): Promise<void>;

  /** Asks the worker to unload models and free memory before its next execution. */
  freeMemory(): Promise<void>;
}

export type ProbeOutcome =
  | ({ ok: true; latencyMs: number } & WorkerStatus)
  | { ok: false; latencyMs: number; cause: ProbeCause; message: Wording };

export interface WorkerStatus extends WorkerReport {
  /** Prompts that run and wait, from all clients. */
  queueRemaining: number;
}

export interface WorkerCapabilities {
  nodeClasses: string[];
  /** Classes whose nodes make outputs. */
  outputClasses: string[];
  /** The model files on offer, by `<class>.<input>`. */
  models: Record<string, string[]>;
  /** The values that each input takes, by class and input; only inputs that take a plain value. */
  inputs: Record<string, Record<string, NodeInput>>;
  /** What clients of ComfyUI get. */
  told: ToldNodes;
}

/** What a worker says of its nodes, as it came. */
export interface ToldNodes {
  /** JSON by class. */
  objectInfo: string;
  /** The embeddings that a text for its models may name. */
  embeddings: string[];
}

/** The values that an input of a node takes, for inputs that take a value and not a link. */
export interface NodeInput {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'choice' | 'model' | 'file';
  minimum?: number;
  maximum?: number;
  /** The distance between two values. */
  step?: number;
  /** Set for `choice` and `model`. */
  choices?: string[];
  multiline?: true;
  description?: string;
}

export interface WatchedExecution {
  promptId: string;
  /** The class of a node, to distinguish an image that is a node's output from a preview of it. */
  classOf: (nodeId: string) => string | undefined;
}

export interface PromptToSubmit extends WatchedExecution {
  /** The graph as JSON text, with params applied and files named as `pushFile` returned. */
  graphJson: string;
  /** Sent to the worker as `extra_data`: the JSON text of an object. */
  extraDataJson?: string;
  /** Ids of the output nodes to run; all output nodes when it is absent. */
  targets?: readonly string[];
  /** Names the span around the call, for a worker that is traced as well. */
  traceparent?: string;
  signal?: AbortSignal;
  /** Asked directly before the prompt is written to the worker's connection. When the answer is false, it is not sent. */
  maySend?: () => boolean;
}

export type SubmitOutcome =
  /**
   * It is in the worker's queue. `skipped` are broken outputs that the worker silently leaves out while it runs the
   * rest.
   */
  | { outcome: 'accepted'; number: number; skipped: NodeFault[] }
  /** The worker answers that the graph is wrong, and it would answer so again. */
  | { outcome: 'invalid'; error: NodeFault; faults: NodeFault[] }
  /** The worker lacks a node class, or a value such as a model: another worker may have it. */
  | { outcome: 'incapable'; lacks: 'node_class' | 'value'; error: NodeFault; faults: NodeFault[] }
  /** An input file that was pushed earlier is not there any more. */
  | { outcome: 'input_missing'; error: NodeFault; faults: NodeFault[] }
  /** The worker certainly did not take the prompt; nothing runs. */
  | { outcome: 'not_taken'; cause: WorkerCallCause; message: Wording }
  /** The prompt may run or not. Only `reconcile` can find out; a lost answer never means "no". */
  | { outcome: 'unknown'; cause: WorkerCallCause; message: Wording };

/** One thing that is wrong with one node, as the worker describes it. */
export interface NodeFault {
  nodeId: string | null;
  nodeClass: string | null;
  /** The worker's own word, such as `value_not_in_list`. */
  type: string;
  message: string;
}

export type ExecutionLocation =
  | { state: 'running' }
  /** `ahead`: how many other prompts the worker executes first. */
  | { state: 'waiting'; ahead: number }
  | { state: 'finished'; result: ExecutionResult }
  | { state: 'absent' };

export type ReconcileOutcome =
  | Exclude<ExecutionLocation, { state: 'absent' }>
  /**
   * With `isSameProcess` true, the worker has kept running since before the submission, so it never took the prompt,
   * which may be sent again. With false, it was restarted since, and the prompt may have been running and is lost. Null
   * when neither is known.
   */
  | { state: 'absent'; isSameProcess: boolean | null };

export type ExecutionEnd = 'succeeded' | 'failed' | 'interrupted';

export interface ExecutionResult {
  end: ExecutionEnd;
  /** Set only for `failed`. */
  error: ExecutionError | null;
  files: OutputFile[];
  texts: OutputText[];
  /** Outputs with names that no file can have; they count as missing. */
  rejected: number;
  /** Nodes whose outputs came from the worker's cache: nothing new was made for them. */
  cachedNodes: string[];
}

export interface ExecutionError {
  /**
   * `node`: the graph's fault. `out_of_memory` and `device`: the worker's trouble; another worker may succeed. `host`:
   * the machine under the worker fails, such as a full disk.
   */
  kind: 'node' | 'out_of_memory' | 'device' | 'host';
  /** One sentence without traceback and without inputs, which may contain other people's text. */
  message: Wording;
  nodeId: string | null;
  nodeClass: string | null;
}

export interface OutputFile {
  nodeId: string;
  filename: string;
  subfolder: string;
  folder: 'output' | 'temp' | 'input';
  /** The list of the node's outputs that names it, such as `images`. */
  kind?: string;
}

export interface OutputText {
  nodeId: string;
  text: string;
}

export type CancelOutcome =
  /** It waited and was removed; it left no trace on the worker. */
  | { outcome: 'removed' }
  /** It runs and was asked to stop, which it does when the running node ends. */
  | { outcome: 'stopping' }
  /** It runs, and this worker is too old to stop one prompt without stopping those of other clients. */
  | { outcome: 'cannot_stop' }
  | { outcome: 'finished'; result: ExecutionResult };

export interface FileToPush {
  sha256: string;
  /** Without the dot; nodes that load files go by the extension. */
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
  /** The size as announced; a body that is cut off ends with an error. */
  sizeBytes: number | null;
  /** Fails with a `WorkerCallError` when it exceeds the byte limit or the deadline, or when the worker breaks off. */
  body: Readable;
}

/** `too_large`: the answer exceeds its limit. `refused_size`: the worker takes no request of this size. */
export type WorkerCallCause =
  | ProbeCause
  | 'broken_off'
  | 'bad_answer'
  | 'too_large'
  | 'refused_size'
  | 'aborted';

/** With these, a proxy reports that it does not reach the worker behind it. */
export function isProxyFault(status: number | null): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** A call to a worker that gave no usable answer. */
export class WorkerCallError extends WordedError {
  readonly workerCause: WorkerCallCause;
  /** False only when it is certain that no part of the request reached the worker. */
  readonly mayHaveArrived: boolean;
  readonly status: number | null;

  constructor(
    workerCause: WorkerCallCause,
    message: Wording,
    options: { mayHaveArrived?: boolean; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'WorkerCallError';
    this.workerCause = workerCause;
    this.mayHaveArrived = options.mayHaveArrived ?? true;
    this.status = options.status ?? null;
  }
}
