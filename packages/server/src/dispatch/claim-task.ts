import { type Clock, toIso } from '../lib/clock.ts';
import type { AttemptStore } from './attempt-store.ts';
import type { InstanceRow } from './instance-store.ts';
import type { TaskRow } from './tables.ts';
import { promptIdOf } from './task.ts';
import type { TaskStore } from './task-store.ts';

export type ClaimedTask =
  | { outcome: 'claimed'; row: TaskRow; promptId: string }
  /** It was cancelled, or another instance has it. */
  | { outcome: 'gone' }
  /** The instance was switched off or removed a moment ago; the task still waits. */
  | { outcome: 'instance_off' };

interface ClaimOptions {
  tasks: Pick<TaskStore, 'get'>;
  attempts: Pick<AttemptStore, 'claim'>;
  instance: Pick<InstanceRow, 'id' | 'clientId'>;
  /** Of the lease on the instance: what fences every later write. */
  token: number;
  clock: Clock;
}

/** Makes a waiting task this instance's. Claim and attempt are on disk before the worker hears of it. */
export async function claimTask(taskId: string, options: ClaimOptions): Promise<ClaimedTask> {
  const { tasks, attempts, instance, token, clock } = options;
  const before = await tasks.get({ system: 'runner' }, taskId);
  if (before?.phase !== 'queued') return { outcome: 'gone' };
  const attempt = before.attempt + 1;
  const promptId = promptIdOf(taskId, attempt);
  const at = toIso(clock());
  const outcome = await attempts.claim({
    taskId,
    expectedAttempt: before.attempt,
    instanceId: instance.id,
    promptId,
    clientId: instance.clientId,
    token,
    at,
  });
  if (outcome !== 'claimed') return { outcome };
  const claimed = { phase: 'dispatching', instanceId: instance.id, attempt, claimToken: token } as const;
  return { outcome, promptId, row: { ...before, ...claimed, updatedAt: at } };
}
