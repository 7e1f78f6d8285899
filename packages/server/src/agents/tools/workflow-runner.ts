import type { Readable } from 'node:stream';

/**
 * What agents' tools need of the pool of workers. The dispatch area stands behind it; `context.ts` joins the two, since
 * neither area knows the other. Every call is for one user: a task belongs to the owner of the thread.
 */
export interface WorkflowRunner {
  /** The same key with the same order answers the task that was made first, and never makes a second one. */
  submit(order: WorkflowOrder): Promise<{ taskId: string }>;
  /**
   * The task as it stands, then every change. Ends after `completed` or `failed`; ends without one when the signal aborts.
   * Whoever is told only that it fell behind watches again.
   */
  watch(userId: string, taskId: string, signal: AbortSignal): AsyncIterable<WorkflowUpdate>;
  /** Asks the task to stop. One that has ended already is no error. */
  cancel(userId: string, taskId: string): Promise<void>;
  /** As `cancel`, for every task that a run has asked for and that has not ended. */
  cancelOfRun(userId: string, runId: string): Promise<void>;
  /** The workers as this user may see them. */
  instances(userId: string): Promise<WorkerSummary[]>;
  /** The workflows that users have saved under names. */
  readonly saved: SavedWorkflowRunner;
  /** What workflows read and what they make. */
  readonly files: PoolFiles;
  /** Null where nobody is ever asked. */
  readonly approvals: WorkflowApprovals | null;
}

export interface SavedWorkflowRunner {
  /** Another number after each change of this user's workflows; cheap enough to be asked for every run. */
  mark(userId: string): Promise<number>;
  /** Those that this user wants to be tools, always in the same order. */
  exposed(userId: string): Promise<SavedWorkflow[]>;
  /** As `WorkflowRunner.submit`. Values that do not fit the schema are refused, with their names. */
  submit(order: SavedWorkflowOrder): Promise<{ taskId: string }>;
}

export interface WorkflowApprovals {
  /**
   * Why a human has to be asked before this order is submitted; null where it may go on. What `submit` would refuse for its
   * graph or its params is refused here too: nobody is asked about what cannot run.
   */
  question(order: WorkflowOrder | SavedWorkflowOrder): Promise<string | null>;
}

export interface PoolFiles {
  /** Takes in a file for this user's tasks. The same content under the same name is the same file, and counts once. */
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
  /** As the model has given them: what makes two orders under one key the same. */
  params: Record<string, unknown>;
  /** With the pool's files in place of paths of the thread. Asked only where the key has made no task yet. */
  paramsToSubmit: () => Promise<Record<string, unknown>>;
}

/** The tool call that asks for a task, and the user that it is for. */
export interface CallOrigin {
  userId: string;
  /** Run id and tool call id: one tool call makes at most one task, however often it is repeated. */
  idempotencyKey: string;
  /** Kept with the task, so that it can be followed back to the conversation. */
  threadId: string;
  runId: string;
  toolCallId: string;
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
