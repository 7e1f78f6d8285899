/**
 * The origin of an event in a graph: its task, after the tasks that this one runs in, the outermost first. After a
 * crash it shows whether the stored checkpoints cover the event, or whether it will happen again.
 */
export type Origin = readonly OriginTask[];

export interface OriginTask {
  /** The checkpoint namespace of the task's graph; empty for the run's own graph. */
  namespace: string;
  /** The step in which that graph runs the task; null when the start of the task was not seen. */
  step: number | null;
  taskId: string;
}

/** The progress of a run that its stored checkpoints cover. */
export interface Coverage {
  /** The step of the run's newest checkpoint in each namespace. */
  steps: ReadonlyMap<string, number>;
  /** Tasks whose results are stored beside a checkpoint that exists. */
  finishedTasks: ReadonlySet<string>;
}

/** Nothing is stored, so the run starts again from its beginning. */
export const nothingCovered: Coverage = { steps: new Map(), finishedTasks: new Set() };

/**
 * A covered task does not run again, nor does anything in it. An event without an origin is repeated by no task, so it counts as
 * covered.
 */
export function isCovered(origin: Origin | null, { steps, finishedTasks }: Coverage): boolean {
  if (origin === null) return true;
  return origin.some(({ namespace, step, taskId }) => {
    const reached = steps.get(namespace);
    return finishedTasks.has(taskId) || (step !== null && reached !== undefined && reached >= step);
  });
}

export function originText(origin: Origin | null): string | null {
  if (origin === null) return null;
  return JSON.stringify(origin.map(({ namespace, step, taskId }) => [namespace, step, taskId]));
}

export function readOrigin(text: string | null): Origin | null {
  if (text === null) return null;
  const tasks = JSON.parse(text) as [namespace: string, step: number | null, taskId: string][];
  return tasks.map(([namespace, step, taskId]) => ({ namespace, step, taskId }));
}
