import type { CustomEvent } from '@switchyard/contract/conversation/stream-frames';

/** A task of the pool, as the stream of its run shows it. */
export interface LiveWorkerTask {
  taskId: string;
  progress: number;
  node: string | null;
  instanceId: string | null;
  files: Extract<CustomEvent, { type: 'worker_task_completed' }>['files'] | null;
  error: Extract<CustomEvent, { type: 'worker_task_failed' }>['error'] | null;
}

/** Returns null when the event is not about a task of the pool. */
export function workerTaskAfter(
  tasks: ReadonlyMap<string, LiveWorkerTask>,
  event: CustomEvent,
): ReadonlyMap<string, LiveWorkerTask> | null {
  const task = taskAfter(event, 'tool_call_id' in event ? tasks.get(event.tool_call_id) : undefined);
  if (!task || !('tool_call_id' in event)) return null;
  return new Map(tasks).set(event.tool_call_id, task);
}

function taskAfter(event: CustomEvent, known: LiveWorkerTask | undefined): LiveWorkerTask | null {
  const before = known ?? { progress: 0, node: null, instanceId: null, files: null, error: null };
  switch (event.type) {
    case 'worker_task_progress': {
      const { task_id: taskId, progress, node, instance: instanceId } = event;
      return { ...before, taskId, progress, node, instanceId };
    }
    case 'worker_task_completed':
      return { ...before, taskId: event.task_id, progress: 100, node: null, files: event.files };
    case 'worker_task_failed':
      return { ...before, taskId: event.task_id, node: null, error: event.error };
    default:
      return null;
  }
}
