import { BoundedQueue } from '../../lib/async/bounded-queue.ts';
import type { DispatchEvent, DispatchEvents, TaskProgress } from '../dispatch-events.ts';
import type { TaskRow } from '../tables.ts';

export type TaskUpdate =
  | { type: 'snapshot'; task: TaskRow }
  | { type: 'started'; task: TaskRow }
  | { type: 'progress'; progress: TaskProgress }
  | { type: 'requeued'; task: TaskRow }
  | { type: 'ended'; task: TaskRow };

/** A watcher that falls behind by this many updates is cut off; it reads the task again and starts a new watch. */
const updatesKept = 1_000;

/** A new watch starts with the present state. */
export class WatcherBehind extends Error {
  constructor(taskId: string) {
    super(`Watching task ${taskId} fell behind.`);
    this.name = 'WatcherBehind';
  }
}

/** Yields the present row, then every change, until the task has ended. Ends at once for a task that has ended. */
export async function* watchTask(
  taskId: string,
  options: { events: DispatchEvents; read: () => Promise<TaskRow>; signal: AbortSignal },
): AsyncGenerator<TaskUpdate, void, undefined> {
  const queue = new BoundedQueue<TaskUpdate>(updatesKept);
  const stop = options.events.listenTo(taskId, (event) => {
    const update = updateOf(event);
    if (update && !queue.push(update)) queue.end(new WatcherBehind(taskId));
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

function updateOf(event: DispatchEvent): TaskUpdate | null {
  switch (event.type) {
    case 'task_started':
      return { type: 'started', task: event.task };
    case 'task_requeued':
      return { type: 'requeued', task: event.task };
    case 'task_ended':
      return { type: 'ended', task: event.task };
    case 'task_progress':
      return { type: 'progress', progress: event.progress };
    default:
      return null;
  }
}
