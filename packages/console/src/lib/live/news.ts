import type { PreviewMessage, PushMessage } from '@switchyard/client/push/push-message';
import type { MarkedFile, NewStoredFile } from '@switchyard/contract/dispatch/file';
import type { Instance } from '@switchyard/contract/dispatch/instance';
import type { ServerFrame, ServerFrameData } from '@switchyard/contract/dispatch/push';
import type { Task } from '@switchyard/contract/dispatch/task';
import { joinedChange, type TaskChange } from './task-change.ts';

/** The content of the frames of one animation frame, each thing once. */
export interface News {
  tasks: Map<string, TaskChange>;
  /** The tasks of which more has changed than their progress. */
  changedTasks: Set<string>;
  newTasks: Task[];
  instances: Map<string, Instance>;
  newFiles: NewStoredFile[];
  deletedFiles: Set<string>;
  markedFiles: Map<string, MarkedFile>;
  changedCollections: Set<string>;
  changedShares: ServerFrameData<'share_changed'>[];
  runs: Map<string, ServerFrameData<'run_status'>>;
  /** The runs that no list has yet; they may have begun or ended since. */
  acceptedRuns: Set<string>;
  unread: Map<string, ServerFrameData<'thread_unread'>>;
  previews: Map<string, PreviewMessage['data']>;
  snapshot: ServerFrameData<'global_status'> | null;
  queueChanged: boolean;
  changedSweeps: Set<string>;
  /** The saved workflows of which a run has completed. */
  ranWorkflows: Set<string>;
  /** Frames are missing for good: everything that is shown has to be read again. */
  isGap: boolean;
}

export function newsOf(messages: readonly PushMessage[]): News {
  const news: News = {
    tasks: new Map(),
    changedTasks: new Set(),
    newTasks: [],
    instances: new Map(),
    newFiles: [],
    deletedFiles: new Set(),
    markedFiles: new Map(),
    changedCollections: new Set(),
    changedShares: [],
    runs: new Map(),
    acceptedRuns: new Set(),
    unread: new Map(),
    previews: new Map(),
    snapshot: null,
    queueChanged: false,
    changedSweeps: new Set(),
    ranWorkflows: new Set(),
    isGap: false,
  };
  for (const message of messages) note(news, message);
  return news;
}

function note(news: News, message: PushMessage): void {
  switch (message.type) {
    case 'global_status':
      news.snapshot = message.data;
      return;
    case 'instance_status':
      news.instances.set(message.data.instanceId, message.data.instance);
      return;
    case 'task_created':
      news.newTasks.unshift(message.data.task);
      return;
    case 'files_created':
      news.newFiles.unshift(...message.data.files.toReversed());
      return;
    case 'files_deleted':
      for (const fileId of message.data.fileIds) news.deletedFiles.add(fileId);
      return;
    case 'files_marked':
      for (const file of message.data.files) news.markedFiles.set(file.fileId, file);
      return;
    case 'collection_changed':
      news.changedCollections.add(message.data.collectionId);
      return;
    case 'share_changed':
      news.changedShares.push(message.data);
      return;
    case 'run_status':
      news.runs.set(message.data.runId, message.data);
      if (message.data.status === 'pending') news.acceptedRuns.add(message.data.runId);
      return;
    case 'thread_unread':
      news.unread.set(message.data.threadId, message.data);
      return;
    case 'queue_changed':
      news.queueChanged = true;
      return;
    case 'sweep_changed':
      news.changedSweeps.add(message.data.sweepId);
      return;
    case 'resync':
      news.isGap = true;
      return;
    case 'preview':
      news.previews.set(message.data.taskId, message.data);
      return;
    default:
      noteTask(news, message);
  }
}

function noteTask({ tasks, changedTasks, ranWorkflows }: News, message: PushMessage): void {
  const change = changeOf(message);
  if (change === null) return;
  const { taskId, fields, atMs } = change;
  if (message.type !== 'task_progress') changedTasks.add(taskId);
  if (message.type === 'task_completed' && message.data.workflowId) ranWorkflows.add(message.data.workflowId);
  tasks.set(taskId, joinedChange(tasks.get(taskId), { fields, atMs }));
}

/** Returns null for a message that is about no task. */
function changeOf(message: PushMessage): (TaskChange & { taskId: string }) | null {
  if (!('timestamp' in message)) return null;
  const fields = fieldsOf(message);
  if (fields === null || !('taskId' in message.data)) return null;
  return { taskId: message.data.taskId, fields, atMs: message.timestamp };
}

function fieldsOf(frame: ServerFrame): Partial<Task> | null {
  const at = new Date(frame.timestamp).toISOString();
  switch (frame.type) {
    case 'task_started': {
      const { instanceId, attempt } = frame.data;
      const now = { status: 'running', phase: 'dispatching', position: null, waiting: null } as const;
      return { ...now, instanceId, attempt, progress: 0, node: null, startedAt: at, updatedAt: at };
    }
    case 'task_progress': {
      const { progress, node = null } = frame.data;
      return { status: 'running', phase: 'executing', progress, node, updatedAt: at };
    }
    case 'task_stopping':
      return { cancelRequested: true, updatedAt: at };
    case 'task_completed':
      return { ...ended(at), status: 'completed', progress: 100, result: frame.data.result, error: null };
    case 'task_failed':
      return { ...ended(at), status: 'failed', error: frame.data.error, attempt: frame.data.attempt };
    case 'task_moved':
      return { position: frame.data.position };
    default:
      return null;
  }
}

function ended(at: string): Partial<Task> {
  const nothingLeft = { node: null, position: null, waiting: null, eta: null } as const;
  return { ...nothingLeft, phase: 'ended', finishedAt: at, updatedAt: at };
}
