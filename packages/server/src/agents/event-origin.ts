/**
 * Where in a graph something happened: the task that it belongs to, after the tasks that this one runs in, the outermost
 * first. Tells after a crash whether the stored checkpoints cover it, or whether it will happen once more.
 */
export type Origin = readonly OriginTask[];

export interface OriginTask {
  /** The checkpoint namespace of the graph whose task it is; empty for the run's own graph. */
  namespace: string;
  /** The step in which that graph runs the task; null where it was not seen to begin. */
  step: number | null;
  taskId: string;
}

/** How far the stored checkpoints of a run have come. */
export interface Coverage {
  /** For each checkpoint namespace the step of the run's newest checkpoint. */
  steps: ReadonlyMap<string, number>;
  /** Tasks whose results are stored beside a checkpoint that exists. */
  finishedTasks: ReadonlySet<string>;
}

/** Nothing is stored: the run begins once more. */
export const nothingCovered: Coverage = { steps: new Map(), finishedTasks: new Set() };

/** A task that is covered is not run again, nor is anything in it. What has no origin happens once by itself. */
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
