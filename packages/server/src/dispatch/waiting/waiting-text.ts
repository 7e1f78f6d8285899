import type { TaskWhy } from '@switchyard/contract/dispatch/task-why';
import type { InstanceObstacles } from '../fleet/fleet.ts';
import { describeObstacles } from './obstacle-text.ts';

interface Placement {
  ahead: TaskWhy['ahead'];
  instances: readonly InstanceObstacles[];
  couldRun: number;
  free: number;
  /** What all its user's tasks, or all tasks, wait for. */
  pause: { scope: 'all' | 'pool' | 'user'; role: 'administrator' | 'owner'; reason: string | null } | null;
  retryAt: string | null;
}

/** Why a queued task waits, in a sentence or two. */
export function describeWaiting({ ahead, instances, couldRun, free, pause, retryAt }: Placement): string {
  const place = describePlace(ahead);
  if (pause) {
    const what = pause.scope === 'user' ? 'the tasks of its user are' : 'the queue is';
    const by = pause.role === 'administrator' ? 'an administrator' : 'the user';
    return `${place}; ${what} paused by ${by}${pause.reason === null ? '' : `: ${pause.reason}`}.`;
  }
  if (retryAt !== null) return `It came back from a worker and is placed again at ${retryAt}.`;
  if (instances.length === 0) return `${place}. There is no instance.`;
  if (couldRun > 0) return `${place}. ${describeInstances(couldRun, free)}.`;
  return `${place}. No instance could run it now: ${describeObstacles(instances)}.`;
}

function describePlace(ahead: TaskWhy['ahead']): string {
  if (ahead === null || ahead.total === 0) return 'It is next';
  return ahead.total === 1 ? '1 task is ahead of it' : `${ahead.total} tasks are ahead of it`;
}

function describeInstances(couldRun: number, free: number): string {
  const could = `${couldRun} ${couldRun === 1 ? 'instance' : 'instances'} could run it`;
  if (free === couldRun) return couldRun === 1 ? `${could} and is free` : `${could} and are free`;
  if (free > 0) return `${could}, of which ${free} ${free === 1 ? 'is' : 'are'} free`;
  return couldRun === 1 ? `${could} and works on another task` : `${could} and work on other tasks`;
}
