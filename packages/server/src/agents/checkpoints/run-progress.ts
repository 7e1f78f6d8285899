import { ERROR, INTERRUPT, RESUME, SCHEDULED } from '@langchain/langgraph-checkpoint';
import type { CheckpointOutline, RunWrite } from './checkpointed-thread-store.ts';

/** What is stored of a run that has not ended. */
export interface RunProgress {
  /** For each checkpoint namespace the step of the run's newest checkpoint. */
  steps: ReadonlyMap<string, number>;
  /** Tasks that will not run again: what they wrote is stored beside the checkpoint that they started from. */
  finishedTasks: ReadonlySet<string>;
}

interface StoredRun {
  /** The newest first in each namespace. */
  checkpoints: readonly CheckpointOutline[];
  writes: readonly RunWrite[];
  /** Checkpoints of the thread that others have made, as far as these refer to them. */
  others: ReadonlySet<string>;
}

/** A task that was interrupted or has failed runs again; that it was answered does not mean that it has run. */
const unfinished: ReadonlySet<string> = new Set([ERROR, INTERRUPT]);
const otherMarks: ReadonlySet<string> = new Set([RESUME, SCHEDULED]);

/**
 * Null where the run's own graph has left nothing to go on from. What a task or a graph inside it has stored before the
 * checkpoint that it started from counts for nothing: the task will be another one.
 */
export function progressFrom({ checkpoints, writes, others }: StoredRun): RunProgress | null {
  const reachable = new Set(others);
  const steps = new Map<string, number>();
  // A graph is inside another when its namespace is longer, so the outer ones are known first.
  for (const checkpoint of [...checkpoints].sort(byDepth)) {
    const { step, parents } = metadataOf(checkpoint);
    if (!parents.every((id) => reachable.has(id))) continue;
    reachable.add(checkpoint.id);
    if (!steps.has(checkpoint.namespace) && step !== undefined) steps.set(checkpoint.namespace, step);
  }
  const stored = writes.filter(({ checkpointId }) => reachable.has(checkpointId));
  if (!steps.has('') && !stored.some(({ namespace }) => namespace === '')) return null;
  return { steps, finishedTasks: finishedIn(stored) };
}

/** The checkpoints that a run's own are based on. */
export function basesOf({ checkpoints, writes }: Omit<StoredRun, 'others'>): string[] {
  const own = new Set(checkpoints.map(({ id }) => id));
  const bases = [
    ...checkpoints.flatMap((checkpoint) => metadataOf(checkpoint).parents),
    ...writes.map(({ checkpointId }) => checkpointId),
  ];
  return [...new Set(bases)].filter((id) => !own.has(id));
}

function finishedIn(writes: readonly RunWrite[]): Set<string> {
  const finished = new Set(
    writes.filter(({ channel }) => !otherMarks.has(channel)).map(({ taskId }) => taskId),
  );
  for (const { taskId, channel } of writes) if (unfinished.has(channel)) finished.delete(taskId);
  return finished;
}

/** `parents` names, for each graph around this one, the checkpoint that the task between them started from. */
function metadataOf({ metadata }: CheckpointOutline): { step: number | undefined; parents: string[] } {
  const { step, parents = {} } = JSON.parse(metadata) as { step?: number; parents?: Record<string, string> };
  return { step, parents: Object.values(parents) };
}

function byDepth(one: CheckpointOutline, other: CheckpointOutline): number {
  return depthOf(one) - depthOf(other);
}

function depthOf({ namespace }: CheckpointOutline): number {
  return namespace === '' ? 0 : namespace.split('|').length;
}
