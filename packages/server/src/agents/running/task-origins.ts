import type { Origin, OriginTask } from '../event-origin.ts';

/** What LangGraph says in the metadata of everything that happens in a task. */
export type TaskMetadata = Record<string, unknown> | undefined;

const separator = '|';

/**
 * Namespaces as LangGraph writes them: a segment `<node>:<task id>` for each task, the outermost first, and between them
 * a bare number where a task runs several graphs. Knows from tasks that have begun in which step they run.
 */
export class TaskOrigins {
  readonly #steps = new Map<string, number>();

  /** To be told of each node that begins. */
  begin(metadata: TaskMetadata): void {
    const namespace = namespaceOf(metadata);
    const step = metadata?.langgraph_step;
    if (namespace !== '' && typeof step === 'number') this.#steps.set(namespace, step);
  }

  /** Null outside of a graph. */
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

/** The namespace of the task; empty outside of a graph. */
export function namespaceOf(metadata: TaskMetadata): string {
  const namespace = metadata?.langgraph_checkpoint_ns;
  return typeof namespace === 'string' ? namespace : '';
}

/** The namespace of the graph whose task it is; empty for the run's own graph. */
export function graphOf(namespace: string): string {
  return namespace.split(separator).slice(0, -1).join(separator);
}

/** True within what the task runs: a graph inside it. */
export function isInside(namespace: string, task: string): boolean {
  return task !== '' && namespace.startsWith(task + separator);
}
