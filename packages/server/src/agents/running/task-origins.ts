import type { Origin, OriginTask } from '../run-contract/event-origin.ts';

/** The metadata that LangGraph adds to everything that happens in a task. */
export type TaskMetadata = Record<string, unknown> | undefined;

const separator = '|';

/**
 * Finds the origin of an event from LangGraph's namespaces. A namespace has a segment `<node>:<task id>` for each task, the
 * outermost first, and a bare number between them when a task runs several graphs. The step of a task is known from its start.
 */
export class TaskOrigins {
  readonly #steps = new Map<string, number>();

  /** Called for each node that begins. */
  begin(metadata: TaskMetadata): void {
    const namespace = namespaceOf(metadata);
    const step = metadata?.langgraph_step;
    if (namespace !== '' && typeof step === 'number') this.#steps.set(namespace, step);
  }

  /** Returns null outside of a graph. */
  of(metadata: TaskMetadata): Origin | null {
    this.begin(metadata);
    const segments = namespaceOf(metadata).split(separator);
    const tasks = segments.flatMap((segment, index): OriginTask[] => {
      const mark = segment.lastIndexOf(':');
      if (mark < 0) return [];
      const namespace = segments.slice(0, index).join(separator);
      const step = this.#steps.get(segments.slice(0, index + 1).join(separator)) ?? null;
      return [{ namespace, step, taskId: segment.slice(mark + 1) }];
    });
    return tasks.length > 0 ? tasks : null;
  }
}

/** Returns the namespace of the task; empty outside of a graph. */
export function namespaceOf(metadata: TaskMetadata): string {
  const namespace = metadata?.langgraph_checkpoint_ns;
  return typeof namespace === 'string' ? namespace : '';
}

/** Returns the namespace of the task's graph; empty for the run's own graph. */
export function graphOf(namespace: string): string {
  return namespace.split(separator).slice(0, -1).join(separator);
}

/** Returns true for what a task runs: a graph inside it. */
export function isInside(namespace: string, task: string): boolean {
  return task !== '' && namespace.startsWith(task + separator);
}
