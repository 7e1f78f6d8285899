import { BoundedQueue } from '../lib/async/bounded-queue.ts';
import type { DispatchEvent, DispatchEvents, TaskProgress } from './dispatch-events.ts';
import type { TaskRow } from './task-store.ts';

export type TaskUpdate =
  | { type: 'snapshot'; task: TaskRow }
  | { type: 'started'; task: TaskRow }
  | { type: 'progress'; progress: TaskProgress }
  | { type: 'requeued'; task: TaskRow }
  | { type: 'ended'; task: TaskRow };

/** A watcher that stays this many updates behind is cut off; it reads the task again and watches anew. */
const updatesKept = 1_000;

/** The row as it stands, then every change, until the task has ended. Ends at once for one that has. */
export async function* watchTask(
  taskId: string,
  options: { events: DispatchEvents; read: () => Promise<TaskRow>; signal: AbortSignal },
): AsyncGenerator<TaskUpdate, void, undefined> {
  const queue = new BoundedQueue<TaskUpdate>(updatesKept);
  const stop = options.events.listen((event) => {
    const update = updateOf(taskId, event);
    if (update && !queue.push(update)) queue.end(new Error(`Watching task ${taskId} fell behind.`));
  });
  const onAbort = () => queue.end();
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const task = await options.read();
    yield { type: 'snapshot', task };
    if (task.phase === 'ended' || options.signal.aborted) return;
    for await (const update of queue) {
      yield update;
      if (update.type === 'ended') return;
    }
  } finally {
    stop();
    options.signal.removeEventListener('abort', onAbort);
  }
}

function updateOf(taskId: string, event: DispatchEvent): TaskUpdate | null {
  switch (event.type) {
    case 'task_started':
      return event.task.id === taskId ? { type: 'started', task: event.task } : null;
    case 'task_requeued':
      return event.task.id === taskId ? { type: 'requeued', task: event.task } : null;
    case 'task_ended':
      return event.task.id === taskId ? { type: 'ended', task: event.task } : null;
    case 'task_progress':
      return event.taskId === taskId ? { type: 'progress', progress: event.progress } : null;
    default:
      return null;
  }
}
