import { ERROR, INTERRUPT, RESUME, SCHEDULED } from '@langchain/langgraph-checkpoint';
import type { CheckpointOutline, RunWrite } from './checkpointed-thread-store.ts';

/** The stored part of a run that has not ended. */
export interface RunProgress {
  /** The step of the run's newest checkpoint in each namespace. */
  steps: ReadonlyMap<string, number>;
  /** Tasks that will not run again: what they wrote is stored beside the checkpoint that they started from. */
  finishedTasks: ReadonlySet<string>;
}

interface StoredRun {
  /** The newest first in each namespace. */
  checkpoints: readonly CheckpointOutline[];
  writes: readonly RunWrite[];
  /** Checkpoints of the thread that other runs made and that this run's checkpoints or writes refer to. */
  others: ReadonlySet<string>;
}

/** A task that was interrupted or has failed runs again. An answer to its question does not mean that it has run. */
const unfinished: ReadonlySet<string> = new Set([ERROR, INTERRUPT]);
const otherMarks: ReadonlySet<string> = new Set([RESUME, SCHEDULED]);

/**
 * Returns null when the run's own graph has stored nothing to continue from. Checkpoints and writes count only when the
 * checkpoint that they started from is stored: otherwise the task will be a different one.
 */
export function progressFrom({ checkpoints, writes, others }: StoredRun): RunProgress | null {
  const reachable = new Set(others);
  const steps = new Map<string, number>();
  // An inner graph has a longer namespace than the graph around it, so the outer ones are handled first.
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

/** Returns the checkpoints of other runs that a run's own checkpoints and writes are based on. */
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

/** `parents` names, for each graph around this one, the checkpoint that the task between the two started from. */
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
