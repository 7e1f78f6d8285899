import { ERROR, INTERRUPT, RESUME, SCHEDULED } from '@langchain/langgraph-checkpoint';
import type { CheckpointOutline, RunWrite } from './thread-store.ts';

/** What is stored of a run that has not ended. */
export interface RunProgress {
  /** For each checkpoint namespace the step of the run's newest checkpoint. */
  steps: ReadonlyMap<string, number>;
  /** Tasks that will not run again: what they wrote is stored beside the checkpoint that they started from. */
  finishedTasks: ReadonlySet<string>;
}

/** A task that was interrupted or has failed runs again; that it was answered does not mean that it has run. */
const unfinished: ReadonlySet<string> = new Set([ERROR, INTERRUPT]);
const otherMarks: ReadonlySet<string> = new Set([RESUME, SCHEDULED]);

/** `checkpoints` come with the newest first in each namespace. */
export function progressFrom(
  checkpoints: readonly CheckpointOutline[],
  writes: readonly RunWrite[],
): RunProgress {
  const steps = new Map<string, number>();
  for (const { namespace, metadata } of checkpoints) {
    const { step } = JSON.parse(metadata) as { step?: number };
    if (!steps.has(namespace) && step !== undefined) steps.set(namespace, step);
  }
  const finishedTasks = new Set(
    writes.filter(({ channel }) => !otherMarks.has(channel)).map(({ taskId }) => taskId),
  );
  for (const { taskId, channel } of writes) if (unfinished.has(channel)) finishedTasks.delete(taskId);
  return { steps, finishedTasks };
}
