import { type Clock, toIso } from '../../lib/clock.ts';
import type { InstanceRow } from '../instances/instance-store.ts';
import type { TaskRow } from '../tables.ts';
import type { AttemptStore } from '../tasks/attempt-store.ts';
import { promptIdOf } from '../tasks/task.ts';
import type { PendingTask } from './pending-entry.ts';

export type ClaimedTask =
  | { outcome: 'claimed'; row: TaskRow; promptId: string; knownPromptId: string | null }
  /** The task was cancelled, or another instance has it. */
  | { outcome: 'gone' }
  /** The instance was switched off or removed a moment ago; the task still waits. */
  | { outcome: 'instance_off' }
  /** The queue, the pool or the owner was paused a moment ago; the task still waits. */
  | { outcome: 'paused' }
  /** Someone else is in charge of the instance; the task still waits. */
  | { outcome: 'superseded' };

/** Gives a waiting task to this instance. Claim and attempt are on disk before the request to the worker. */
export async function claimTask(
  task: Pick<PendingTask, 'id' | 'attempt' | 'owner'>,
  {
    attempts,
    instance,
    workerVersion,
    knownPromptId,
    token,
    clock,
  }: {
    attempts: Pick<AttemptStore, 'claim'>;
    instance: Pick<InstanceRow, 'id' | 'clientId' | 'tags'>;
    workerVersion: string | null;
    /** A prompt that is in the worker's history now, if one is known. */
    knownPromptId: string | null;
    /** The token under which this runner is in charge of the instance; it fences this write and every later one. */
    token: number;
    clock: Clock;
  },
): Promise<ClaimedTask> {
  const promptId = promptIdOf(task.id, task.attempt + 1);
  const claimed = await attempts.claim({
    taskId: task.id,
    expectedAttempt: task.attempt,
    instanceId: instance.id,
    promptId,
    clientId: instance.clientId,
    token,
    owner: task.owner,
    workerVersion,
    knownPromptId,
    pools: instance.tags,
    at: toIso(clock()),
  });
  return typeof claimed === 'string'
    ? { outcome: claimed }
    : { outcome: 'claimed', promptId, knownPromptId, row: claimed };
}
