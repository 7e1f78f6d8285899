import type { Readable } from 'node:stream';

/**
 * The calls by which agents' tools use the pool of workers. The dispatch area implements it, and `context.ts` joins the
 * two, since neither area knows the other. Every call is for one user: a task belongs to the owner of the thread.
 */
export interface WorkflowRunner {
  /** Returns the task that was made first when the same order comes again with the same key; it never makes a second one. */
  submit(order: WorkflowOrder): Promise<{ taskId: string }>;
  /**
   * Yields the task as it is, then every change. Ends after `completed` or `failed`, or without one when the signal aborts. A
   * caller that only gets the news that it fell behind watches again.
   */
  watch(userId: string, taskId: string, signal: AbortSignal): AsyncIterable<WorkflowUpdate>;
  /** Asks the task to stop. It is not an error when the task has already ended. */
  cancel(userId: string, taskId: string): Promise<void>;
  /** Does the same as `cancel` for every unfinished task that a run has asked for. */
  cancelOfRun(userId: string, runId: string): Promise<void>;
  /** Returns the workers as this user may see them. */
  instances(userId: string): Promise<WorkerSummary[]>;
  /** The workflows that users have saved. */
  readonly saved: SavedWorkflowRunner;
  /** Files that workflows read and make. */
  readonly files: PoolFiles;
  /** Null when workflows never need approval. */
  readonly approvals: WorkflowApprovals | null;
}

export interface SavedWorkflowRunner {
  /** Returns a number that differs after each change of this user's workflows. It is cheap enough to be read for every run. */
  mark(userId: string): Promise<number>;
  /** Returns the workflows that this user wants as tools, always in the same order. */
  exposed(userId: string): Promise<SavedWorkflow[]>;
  /** Does the same as `WorkflowRunner.submit`. Values that do not fit the schema are refused, with their names. */
  submit(order: SavedWorkflowOrder): Promise<{ taskId: string }>;
}

export interface WorkflowApprovals {
  /**
   * Returns why a human has to approve this order before it is submitted, or null when it may proceed. It refuses graphs and
   * params that `submit` would refuse, so that no one is asked about an order that cannot run.
   */
  question(order: WorkflowOrder | SavedWorkflowOrder): Promise<string | null>;
}

export interface PoolFiles {
  /** Takes in a file for this user's tasks. The same content under the same name is the same file and counts once. */
  keep(
    userId: string,
    filename: string,
    content: { source: Readable; signal: AbortSignal },
  ): Promise<{ fileId: string }>;
  open(userId: string, fileId: string): Promise<Readable>;
}

export interface SavedWorkflow {
  id: string;
  name: string;
  description: string;
  /** JSON Schema of its params. */
  schema: Record<string, unknown>;
}

export interface SavedWorkflowOrder extends CallOrigin, OrderedParams {
  workflowId: string;
}

export interface WorkflowOrder extends CallOrigin, OrderedParams {
  /** A graph in ComfyUI's API format. */
  workflow: Record<string, unknown>;
  name: string | null;
}

export interface OrderedParams {
  /** The params as the model wrote them. They decide whether two orders with one key are the same. */
  params: Record<string, unknown>;
  /** Returns the params with the pool's files in place of paths of the thread. Called only when the key has made no task yet. */
  paramsToSubmit: () => Promise<Record<string, unknown>>;
}

/** The tool call that asks for a task, and the user that the task is for. */
export interface CallOrigin {
  userId: string;
  /** Run id and tool call id: one tool call makes at most one task, however often it is repeated. */
  idempotencyKey: string;
  /** Stored with the task, so that the task leads back to its conversation. */
  threadId: string;
  runId: string;
  toolCallId: string;
  agent: string;
}

export type WorkflowUpdate =
  | { type: 'progress'; progress: number; node: string | null; instance: string | null }
  | { type: 'completed'; files: WorkflowFile[]; texts: string[] }
  | { type: 'failed'; code: string; message: string };

export interface WorkflowFile {
  fileId: string;
  filename: string;
  url: string;
  contentType: string;
  sizeBytes: number;
}

export interface WorkerSummary {
  id: string;
  name: string;
  /** One word: `idle`, `busy`, `unreachable`, … */
  state: string;
  kind: string;
  currentTaskId: string | null;
  lastError: string | null;
}
