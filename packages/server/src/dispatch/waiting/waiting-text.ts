import type { TaskWhy } from '@switchyard/contract/dispatch/task-why';
import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say } from '@switchyard/contract/sentences/sentences';
import type { InstanceObstacles } from '../fleet/fleet.ts';
import type { QueuePauseRow } from '../tables.ts';
import { describeObstacles, keptOnlyBy, namesOf } from './obstacle-text.ts';

interface Placement {
  ahead: TaskWhy['ahead'];
  instances: readonly InstanceObstacles[];
  couldRun: number;
  free: number;
  /** The pause for which all its user's tasks, or all tasks, wait. */
  pause: Pick<QueuePauseRow, 'scope' | 'role' | 'reason'> | null;
  retryAt: string | null;
}

/** Returns why a queued task waits, in a sentence or two. */
export function describeWaiting(placement: Placement): Sentence[] {
  const { ahead, instances, couldRun, free, pause, retryAt } = placement;
  const place = describePlace(ahead);
  if (pause) return [...place, ...describePause(pause)];
  if (retryAt !== null) return say('placed_again', { until: retryAt });
  if (instances.length === 0) return [...place, ...say('no_instance')];
  if (couldRun > 0) return [...place, ...describeInstances(couldRun, free)];
  const unreached = keptOnlyBy('unreachable', instances);
  if (unreached.length > 0) return [...place, ...say('none_answers', { names: namesOf(unreached) })];
  if (keptOnlyBy('off', instances).length > 0) return [...place, ...say('all_off')];
  return [...place, ...say('none_able', { obstacles: describeObstacles(instances) })];
}

function describePlace(ahead: TaskWhy['ahead']): Sentence[] {
  if (ahead === null || ahead.total === 0) return say('next');
  return ahead.total === 1 ? say('one_ahead') : say('tasks_ahead', { count: ahead.total });
}

function describePause({ scope, role, reason }: NonNullable<Placement['pause']>): Sentence[] {
  const ofUser = role === 'administrator' ? 'user_paused' : 'own_paused';
  const code = scope === 'user' ? ofUser : 'queue_paused';
  return reason === null ? say(code) : say(`${code}_why`, { reason });
}

function describeInstances(couldRun: number, free: number): Sentence[] {
  const count = { count: couldRun };
  if (free === couldRun) return couldRun === 1 ? say('one_free') : say('all_free', count);
  if (free > 0) return say('some_free', { ...count, free });
  return couldRun === 1 ? say('one_busy') : say('all_busy', count);
}
