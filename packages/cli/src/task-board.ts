import type { PushMessage } from '@switchyard/client/push/push-message';
import type { Task, TaskStatus } from '@switchyard/contract/dispatch/task';

/** How far a task is, as last heard of. */
export interface TaskState {
  id: string;
  status: TaskStatus;
  progress: number;
  /** Title of the running node. */
  node: string | null;
  instanceId: string | null;
}

/** Several tasks that are followed together. A message that comes late changes nothing that has ended. */
export class TaskBoard {
  readonly #states: Map<string, TaskState>;
  readonly #onChange: (state: TaskState) => void;

  constructor(tasks: readonly Task[], onChange: (state: TaskState) => void) {
    this.#states = new Map(tasks.map((task) => [task.id, stateOf(task)]));
    this.#onChange = onChange;
  }

  get states(): TaskState[] {
    return [...this.#states.values()];
  }

  /** What the gateway answered about a task: the truth, whatever was heard. */
  put(task: Task): void {
    this.#change(task.id, stateOf(task));
  }

  hear(message: PushMessage): void {
    switch (message.type) {
      case 'task_started':
        this.#change(message.data.taskId, { status: 'running', instanceId: message.data.instanceId });
        return;
      case 'task_progress':
        this.#change(message.data.taskId, {
          status: 'running',
          progress: message.data.progress,
          ...(message.data.node !== undefined && { node: message.data.node }),
        });
        return;
      case 'task_completed':
        this.#change(message.data.taskId, { status: 'completed', progress: 100, node: null });
        return;
      case 'task_failed':
        this.#change(message.data.taskId, { status: 'failed', node: null });
        return;
      default:
    }
  }

  #change(id: string, changes: Partial<TaskState>): void {
    const before = this.#states.get(id);
    if (!before || hasEnded(before)) return;
    const after = { ...before, ...changes };
    this.#states.set(id, after);
    this.#onChange(after);
  }
}

export function hasEnded({ status }: Pick<TaskState, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}

/** In a word. A task that somebody cancelled is `failed` for the gateway, and nothing that has to be looked into. */
export function outcomeOf({ status, error }: Pick<Task, 'status' | 'error'>): string {
  return error?.code === 'cancelled' ? 'cancelled' : status;
}

function stateOf({ id, status, progress, node, instanceId }: Task): TaskState {
  return { id, status, progress, node, instanceId };
}
