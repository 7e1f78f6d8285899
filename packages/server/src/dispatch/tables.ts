import type { FileSource } from '@switchyard/contract/dispatch/file';
import type { InstanceKind, InstanceState } from '@switchyard/contract/dispatch/instance';
import type { InstanceEventKind } from '@switchyard/contract/dispatch/instance-event';
import type { PauseRole, PauseScope } from '@switchyard/contract/dispatch/queue';
import type { GranteeKind, ShareKind, ShareRight } from '@switchyard/contract/dispatch/share';
import type { TaskPhase } from '@switchyard/contract/dispatch/task';
import type { BatchAction } from '@switchyard/contract/dispatch/task-batches';
import type { WebhookEvent } from '@switchyard/contract/dispatch/webhook';
import type { Generated, Selectable } from 'kysely';
import type { SettingColumns } from './task-settings.ts';

/**
 * The tables that dispatch owns. Column names equal the names on the wire; JSON is text, times are ISO text, booleans 0
 * or 1.
 */
export interface DispatchTables {
  tasks: TaskTable;
  task_inputs: TaskInputTable;
  task_prompts: TaskPromptTable;
  task_attempts: TaskAttemptTable;
  task_files: TaskFileTable;
  task_sources: TaskSourceTable;
  task_counts: TaskCountTable;
  idempotency_keys: IdempotencyKeyTable;
  queue_pauses: QueuePauseTable;
  task_batches: TaskBatchTable;
  task_batch_items: TaskBatchItemTable;
  sweeps: SweepTable;
  sweep_cells: SweepCellTable;
  instances: InstanceTable;
  instance_capabilities: InstanceCapabilityTable;
  instance_object_infos: InstanceObjectInfoTable;
  instance_events: InstanceEventTable;
  files: FileTable;
  file_texts: FileTextTable;
  file_models: FileModelTable;
  file_usage: FileUsageTable;
  file_marks: FileMarkTable;
  file_tags: FileTagTable;
  collections: CollectionTable;
  collection_items: CollectionItemTable;
  settings: SettingsTable;
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
  node_inputs: NodeInputTable;
  saved_workflows: SavedWorkflowTable;
  saved_workflow_versions: SavedWorkflowVersionTable;
  saved_workflow_marks: SavedWorkflowMarkTable;
  shares: ShareTable;
  shared_tools: SharedToolTable;
  user_documents: UserDocumentTable;
  prompt_histories: PromptHistoryTable;
}

/** Ids are UUIDv7 made at `createdAt`, so `ORDER BY id` is the order of creation and one index serves both. */
export interface TaskTable extends SettingColumns {
  id: string;
  owner: string;
  status: 'pending' | 'running' | 'completed' | 'failed';
  phase: TaskPhase;
  progress: number;
  instanceId: string | null;
  attempt: number;
  /** The ownership token of the runner that may write this attempt; a runner that lost its lease matches no row. */
  claimToken: number | null;
  cancelRequested: number;
  node: string | null;
  fingerprint: string;
  error: string | null;
  result: string | null;
  warnings: string;
  /** JSON: the warnings as codes; null when there are none, and in tasks of earlier versions. */
  warningSentences: string | null;
  webhook: string | null;
  requestId: string | null;
  /** The span around the task, in the form of W3C Trace Context; null when nothing was traced. */
  traceparent: string | null;
  /** JSON: the tool call of the agent that asked for the task. */
  conversation: string | null;
  /** The saved workflow that the task was made from, and its version; null when it was made from a graph. */
  workflowId: string | null;
  workflowVersion: number | null;
  /** The cell of a sweep that it was made for; null in other tasks. */
  sweepId: string | null;
  sweepCell: number | null;
  /** When it was moved to the front of its owner's line; null when it never was. */
  frontAt: string | null;
  createdAt: string;
  updatedAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

/** A table apart from `tasks`, so that lists and counts never touch a page that holds a graph. */
export interface TaskInputTable {
  taskId: string;
  workflow: string;
  params: string;
  /** The things that a worker needs to run it: node classes and model files. */
  requirement: string;
  /** JSON, with its secrets: only the worker and a copy of the task get them. */
  extraData: string | null;
  partialExecutionTargets: string | null;
}

/** The name that a client of ComfyUI gives a task, and the client that gets its events. Other tasks have no row. */
export interface TaskPromptTable {
  taskId: string;
  owner: string;
  promptId: string;
  clientId: string | null;
  /** The id of the client's workflow from which the prompt was made, if the client sent it. */
  workflowId: string | null;
  /** 1 when its owner has taken it out of the history. */
  hidden: Generated<number>;
}

/** The time until which the history of an account is hidden from clients of ComfyUI. */
export interface PromptHistoryTable {
  owner: string;
  clearedAt: string;
}

export interface TaskAttemptTable {
  taskId: string;
  attempt: number;
  instanceId: string;
  /** How the worker was called when it got the task, and its version; null in attempts of earlier versions. */
  serverName: string | null;
  workerVersion: string | null;
  /** The id on the worker, written before the POST: a restarted gateway finds the execution by it. */
  promptId: string;
  clientId: string;
  /**
   * A prompt that the worker had in its history when the task was claimed, if one was known: when the worker does not know
   * it any more, it was restarted since.
   */
  knownPromptId: string | null;
  state: 'dispatching' | 'accepted' | 'ended';
  outcome: string | null;
  error: string | null;
  startedAt: string;
  acceptedAt: string | null;
  endedAt: string | null;
  /** JSON, as `NodeRecord` writes it: when each node began and ended. Null until something is known of a node. */
  nodes: string | null;
}

/** Which stored files an unfinished task needs; its rows keep a file from being deleted. */
export interface TaskFileTable {
  taskId: string;
  fileId: string;
}

/** The files that a task was given. The rows stay when the task has ended and when a file is deleted. */
export interface TaskSourceTable {
  taskId: string;
  fileId: string;
  /** The owner of the task. */
  owner: string;
  sha256: string;
  filename: string;
}

/** Updated in the transaction that changes a status, so that no list or overview ever counts rows. */
/** Several rows for each owner and status, whose sum counts. */
export interface TaskCountTable {
  owner: string;
  status: string;
  part: number;
  count: number;
}

export interface IdempotencyKeyTable {
  owner: string;
  key: string;
  bodyHash: string;
  /** The id of the thing that the request made: a task, or a file. */
  taskId: string;
  createdAt: string;
}

/** One row per pause that is in force. An administrator and the owner of tasks may both pause the same tasks. */
export interface QueuePauseTable {
  scope: PauseScope;
  /** The tag of a pool or the id of a user; empty for the whole queue. */
  target: string;
  role: PauseRole;
  /** The account that paused last. */
  userId: string;
  reason: string | null;
  since: string;
}

/** Tasks that are cancelled or repeated together. */
export interface TaskBatchTable {
  id: string;
  /** The account that made it. */
  owner: string;
  /** `all` when it was made with the rights of an administrator. */
  reach: 'own' | 'all';
  action: BatchAction;
  /** How the tasks were chosen, for the record. */
  choice: string;
  idempotencyKey: string | null;
  bodyHash: string;
  total: number;
  waitsFor: string | null;
  requestId: string | null;
  createdAt: string;
  finishedAt: string | null;
}

export interface TaskBatchItemTable {
  batchId: string;
  taskId: string;
  outcome: 'done' | 'skipped' | 'failed' | null;
  newTaskId: string | null;
  /** JSON: code and message. */
  error: string | null;
}

/** Runs of one saved workflow with many values. */
export interface SweepTable {
  id: string;
  owner: string;
  workflowId: string;
  version: number;
  name: string;
  /** JSON: what all runs have in common. */
  params: string;
  /** JSON: the settings of each task. */
  settings: string;
  /** JSON: the axes with their labels and values. */
  axes: string;
  /** JSON: the parameters whose wildcards are picked. */
  wildcards: string;
  wildcardSeed: number | null;
  total: number;
  /** 1: it was made with the rights of an administrator. */
  byAdmin: number;
  idempotencyKey: string | null;
  bodyHash: string;
  waitsFor: string | null;
  /** 1 until each cell has its task or a reason why it has none. */
  isOpen: number;
  requestId: string | null;
  createdAt: string;
}

export interface SweepCellTable {
  sweepId: string;
  cell: number;
  /** JSON: the values that this run has of its own. */
  values: string;
  state: 'waiting' | 'made' | 'refused' | 'stopped';
  /** Its present task; a cell that is run again gets another one. */
  taskId: string | null;
  /** JSON: why no task could be made. */
  error: string | null;
}

export interface InstanceTable {
  id: string;
  serverId: string;
  serverName: string;
  kind: InstanceKind;
  ip: string;
  port: number;
  weight: number;
  tags: string;
  enabled: number;
  /**
   * The instance is no longer configured but its last task still runs; the row is deleted when the instance is idle.
   */
  removed: number;
  alive: number;
  busy: number;
  state: InstanceState;
  lastHeartbeat: string | null;
  since: string;
  lastError: string | null;
  /** JSON: the same as codes. They count while they make the text. */
  lastErrorSentences: string | null;
  version: string | null;
  devices: string;
  /** JSON, exactly as the worker sent it. */
  system: string | null;
  queueRemaining: number | null;
  currentTaskId: string | null;
  /** Stable per gateway and instance: a restarted gateway that uses it again gets the live events. */
  clientId: string;
  /** Belongs to the replica in charge of it. Writes about the instance that carry an earlier one are refused. */
  token: number;
  /** 1: the replica in charge is asked to interrupt what runs on it. */
  giveBack: number;
}

export interface InstanceCapabilityTable {
  instanceId: string;
  nodeClasses: string;
  models: string;
  updatedAt: string;
}

/** The answers of a worker to `GET /object_info` and `GET /embeddings`, with one hash of both. */
export interface InstanceObjectInfoTable {
  instanceId: string;
  hash: string;
  objectInfo: string;
  embeddings: Generated<string>;
}

/** Ids grow with time: they give the order of the record and its cursor. */
export interface InstanceEventTable {
  id: string;
  instanceId: string;
  kind: InstanceEventKind;
  at: string;
  message: string;
  /** JSON: the message as codes. */
  sentences: string | null;
  taskId: string | null;
  attempt: number | null;
  /** The owner of the task. */
  owner: string | null;
}

export interface FileTable {
  id: string;
  owner: string;
  filename: string;
  sha256: string;
  size: number;
  contentType: string;
  source: FileSource;
  taskId: string | null;
  /** The saved workflow of the task that made it. */
  workflowId: string | null;
  /** The size of a picture in pixels; null for other files, and for pictures of earlier versions. */
  width: number | null;
  height: number | null;
  /** Null until the content is uploaded by a client that asks for files by this hash. */
  blake3: string | null;
  createdAt: string;
}

/** The words by which a file is found, as `wordsOfFile` lists them, with a space before and behind each. */
export interface FileTextTable {
  fileId: string;
  createdAt: string;
  words: string;
}

/** A model that files of a user were made with. The row stays when the last of them is deleted. */
export interface FileModelTable {
  owner: string;
  /** The word of the model in `file_texts`. */
  word: string;
  /** The name of its file, as the first graph had it. */
  name: string;
}

/** Several rows for each owner, whose sum counts. */
export interface FileUsageTable {
  owner: string;
  part: number;
  bytes: number;
  count: number;
}

/** What the owner of a file notes about it. A file without star and caption has no row. */
export interface FileMarkTable {
  fileId: string;
  owner: string;
  starred: number;
  caption: string;
  /** The time of the file, as in the other notes. */
  createdAt: string;
}

export interface FileTagTable {
  fileId: string;
  tag: string;
  owner: string;
  createdAt: string;
}

/** Files of one owner in the order that the owner gives them. */
export interface CollectionTable {
  id: string;
  owner: string;
  name: string;
  /** One of its files; null: the first one. */
  coverFileId: string | null;
  itemCount: number;
  createdAt: string;
  updatedAt: string;
}

export interface CollectionItemTable {
  collectionId: string;
  fileId: string;
  /** Gives the order. A file that is put between two others gets a place between theirs. */
  place: number;
  createdAt: string;
}

export interface SettingsTable {
  id: string;
  version: number;
  value: string;
  updatedAt: string;
  updatedBy: string | null;
}

export interface WebhookTable {
  id: string;
  owner: string;
  url: string;
  events: string;
  secret: string;
  enabled: number;
  failures: number;
  createdAt: string;
  updatedAt: string;
}

export interface WebhookDeliveryTable {
  id: string;
  /** Null for the address that a task itself names. */
  webhookId: string | null;
  owner: string;
  taskId: string;
  /** The address as it was when the task ended. */
  url: string;
  secret: string | null;
  event: WebhookEvent;
  payload: string;
  status: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  responseStatus: number | null;
  lastError: string | null;
  /** JSON: the same as codes. */
  lastErrorSentences: string | null;
  createdAt: string;
  deliveredAt: string | null;
}

/** The values that the inputs of each node class take, as the last worker reported them. */
export interface NodeInputTable {
  nodeClass: string;
  inputs: string;
  updatedAt: string;
}

export interface SavedWorkflowTable {
  id: string;
  owner: string;
  name: string;
  description: string;
  exposed: number;
  /** The newest of its versions. */
  version: number;
  /** The picture that its owner chose; null for the last result. The file may be gone. */
  coverFileId: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface SavedWorkflowVersionTable {
  workflowId: string;
  version: number;
  graph: string;
  parameters: string;
  notes: Generated<string>;
  createdAt: string;
}

/** Counts a user's changes, so that one small read shows whether a cached list is still valid. */
export interface SavedWorkflowMarkTable {
  owner: string;
  mark: number;
}

/** One row for each grantee of a thing. */
export interface ShareTable {
  id: string;
  kind: ShareKind;
  subjectId: string;
  /** The owner of the thing. */
  owner: string;
  granteeKind: GranteeKind;
  /** The e-mail address of a person as the owner named it; empty for everyone. */
  grantee: string;
  /** The account of a person, null when none had the address; `everyone` for everyone. */
  granteeId: string | null;
  may: ShareRight;
  /** The newest version of a workflow when it was shared. Earlier ones stay closed. Null for other kinds. */
  fromVersion: number | null;
  createdAt: string;
}

/** A shared workflow that its receiver has switched on for their agents, with the texts that the receiver saw then. */
export interface SharedToolTable {
  userId: string;
  workflowId: string;
  version: number;
  name: string;
  description: string;
}

/** A text that a program stores for its account. */
export interface UserDocumentTable {
  owner: string;
  /** Its parts are separated by slashes. */
  path: string;
  content: string;
  size: number;
  /** Counts its changes, from 1. */
  version: number;
  createdAt: string;
  modifiedAt: string;
}

/** A task with its current state, as many files use it. */
export type TaskRow = Selectable<TaskTable>;
export type TaskInputRow = Selectable<TaskInputTable>;
export type TaskPromptRow = Pick<Selectable<TaskPromptTable>, 'taskId' | 'owner' | 'promptId' | 'clientId'>;
export type QueuePauseRow = QueuePauseTable;
