import type { PushMessage } from '@switchyard/client/push/push-message';
import type { Task, TaskStatus } from '@switchyard/contract/dispatch/task';

/** The last known progress of a task. */
export interface TaskState {
  id: string;
  status: TaskStatus;
  progress: number;
  /** The title of the running node. */
  node: string | null;
  instanceId: string | null;
}

/** Several tasks that are followed together. A late message does not change a task that has ended. */
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

  /** Takes the gateway's answer about a task, which counts more than any message. */
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

/** The state in a word. The gateway calls a cancelled task `failed`, but no one has to look into it. */
export function outcomeOf({ status, error }: Pick<Task, 'status' | 'error'>): string {
  return error?.code === 'cancelled' ? 'cancelled' : status;
}

function stateOf({ id, status, progress, node, instanceId }: Task): TaskState {
  return { id, status, progress, node, instanceId };
}
