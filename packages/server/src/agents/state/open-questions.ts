import type { CheckpointPendingWrite, CheckpointTuple } from '@langchain/langgraph-checkpoint';

/** The writes of a task that has not finished. */
const unfinished: ReadonlySet<string> = new Set([
  '__interrupt__',
  '__resume__',
  '__error__',
  '__error_source_node__',
  '__scheduled__',
]);

/**
 * Leaves out the questions of tasks that have finished since. A saver keeps everything that a task wrote. So a task that waits
 * for others in the same step would still ask what was already answered.
 */
export function withoutAnswered(tuple: CheckpointTuple): CheckpointTuple {
  const { pendingWrites = [] } = tuple;
  if (!pendingWrites.some(isQuestion)) return tuple;
  const ended = new Set(
    pendingWrites.filter(([, channel]) => !unfinished.has(channel)).map(([taskId]) => taskId),
  );
  return {
    ...tuple,
    pendingWrites: pendingWrites.filter((write) => !(isQuestion(write) && ended.has(write[0]))),
  };
}

function isQuestion([, channel]: CheckpointPendingWrite): boolean {
  return channel === '__interrupt__';
}
