import type { ObstacleCode } from '@switchyard/contract/dispatch/task-why';
import { type Offer, type Requirement, whyNotCapable } from '../graphs/capability.ts';
import type { InstanceRow } from '../instances/instance-store.ts';
import type { PendingTask } from '../queue/pending-entry.ts';
import type { QueuePauseRow } from '../tables.ts';

/** One thing that keeps a task from an instance. */
export interface Obstacle {
  code: ObstacleCode;
  /** The time at which it ends by itself, if that is known. */
  untilMs?: number;
  /** The node classes and files that the instance lacks. */
  nodes?: readonly string[];
  models?: readonly string[];
  pause?: QueuePauseRow;
}

/** An instance that is given no task, whatever the task is: it is switched off, or leaves the configuration. */
export function obstacleOfUse(
  { enabled, removed }: Pick<InstanceRow, 'enabled' | 'removed'>,
  currentTaskId: string | null,
): Obstacle | null {
  if (enabled === 1 && removed === 0) return null;
  return { code: removed === 1 || currentTaskId !== null ? 'draining' : 'off' };
}

/** Returns what an instance lacks for a task, by the rule that places tasks. */
export function obstacleOfOffer(offer: Offer, requirement: Requirement): Obstacle | null {
  const incapability = whyNotCapable(offer, requirement);
  if (incapability?.code !== 'lacks') return incapability;
  const { nodes, models } = incapability;
  return { code: 'lacks', nodes, models: [...new Set(models.map(({ model }) => model))] };
}

export function obstacleOfPause(pause: QueuePauseRow | null): Obstacle | null {
  return pause && { code: 'paused', pause };
}

/** An instance that this task is not given to, since it refused the task or failed at it. */
export function obstacleOfAvoidance(
  { avoids }: Pick<PendingTask, 'avoids'>,
  instanceId: string,
): Obstacle | null {
  const avoided = avoids.find((avoidance) => avoidance.instanceId === instanceId);
  return avoided ? { code: 'avoided', untilMs: avoided.untilMs } : null;
}

/** Returns the obstacle in the row of an instance that another replica of the gateway looks after. */
export function obstacleOfRow(row: InstanceRow): Obstacle | null {
  const { state, currentTaskId } = row;
  const ofUse = obstacleOfUse(row, currentTaskId);
  if (ofUse || state === 'idle') return ofUse;
  if (state === 'busy') return { code: currentTaskId === null ? 'used_by_others' : 'busy' };
  return { code: state };
}

/**
 * Leaves out what is said already. Work for this gateway is no reason where there is another one, and an instance that
 * is switched off or does not answer cannot report what it has.
 */
export function allOf(obstacles: readonly (Obstacle | null)[]): Obstacle[] {
  const found = obstacles.filter((obstacle) => obstacle !== null);
  const each = found.filter(({ code }, index) => found.findIndex((other) => other.code === code) === index);
  const isAway = each.some(({ code }) => code === 'unreachable' || code === 'off');
  const known = isAway ? each.filter(({ code }) => code !== 'checking') : each;
  return known.length > 1 ? known.filter(({ code }) => code !== 'busy') : known;
}
