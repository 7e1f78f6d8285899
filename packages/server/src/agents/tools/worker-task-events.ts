import type { ThreadOutput } from './workflow-outputs.ts';
import type { WorkflowUpdate } from './workflow-runner.ts';

/** `custom` events that a conversation's stream contains about a task on the pool. */
export type WorkerTaskEvent =
  | ({
      type: 'worker_task_progress';
      progress: number;
      node: string | null;
      instance: string | null;
    } & TaskOfCall)
  | ({ type: 'worker_task_completed'; files: TaskFile[] } & TaskOfCall)
  | ({ type: 'worker_task_failed'; error: { code: string; message: string } } & TaskOfCall);

interface TaskOfCall {
  task_id: string;
  tool_call_id: string;
}

interface TaskFile {
  file_id: string;
  filename: string;
  url: string;
  content_type: string;
  size: number;
  /** Its path among the thread's outputs; null when it could not be put there. */
  virtual_path: string | null;
}

interface Where {
  taskId: string;
  toolCallId: string;
}

export function progressEvent(
  where: Where,
  { progress, node, instance }: Extract<WorkflowUpdate, { type: 'progress' }>,
): WorkerTaskEvent {
  return { type: 'worker_task_progress', ...placed(where), progress, node, instance };
}

export function completedEvent(where: Where, files: readonly ThreadOutput[]): WorkerTaskEvent {
  return { type: 'worker_task_completed', ...placed(where), files: files.map(taskFile) };
}

export function failedEvent(
  where: Where,
  { code, message }: { code: string; message: string },
): WorkerTaskEvent {
  return { type: 'worker_task_failed', ...placed(where), error: { code, message } };
}

/** Returns a file in the form of events and tool results. */
export function taskFile(output: ThreadOutput): TaskFile {
  const { fileId, filename, url, contentType, sizeBytes, virtualPath } = output;
  return {
    file_id: fileId,
    filename,
    url,
    content_type: contentType,
    size: sizeBytes,
    virtual_path: virtualPath,
  };
}

function placed({ taskId, toolCallId }: Where): TaskOfCall {
  return { task_id: taskId, tool_call_id: toolCallId };
}
