import type { ObstacleCode, TaskWhy } from '@switchyard/contract/dispatch/task-why';
import { toIso } from '../../lib/clock.ts';
import type { InstanceObstacles } from '../fleet/fleet.ts';
import type { Obstacle } from '../fleet/obstacle.ts';
import type { InstanceRow } from '../instances/instance-store.ts';
import { showPause } from '../queue/queue-control.ts';

/** More would not be read. */
const maxNamed = 3;
const maxHelp = 5;

/** A server has several instances, so its name alone is not enough. */
export function nameOf({ serverName, id }: Pick<InstanceRow, 'serverName' | 'id'>): string {
  return `${serverName} (${id})`;
}

export function viewObstacle(
  row: InstanceRow,
  obstacle: Obstacle,
): TaskWhy['instances'][number]['reasons'][number] {
  const { code, untilMs, nodes = [], models = [], pause } = obstacle;
  return {
    code,
    message: `${nameOf(row)} ${textOf(obstacle)}.`,
    until: untilMs === undefined ? null : toIso(untilMs),
    missing: [...nodes, ...models],
    pause: code === 'paused' && pause ? showPause(pause) : null,
  };
}

/** The first reason of each of these instances, joined to one sentence. */
export function describeObstacles(instances: readonly InstanceObstacles[]): string {
  const named = instances.slice(0, maxNamed).map(({ row, obstacles: [first] }) => {
    return first ? `${nameOf(row)} ${textOf(first)}` : nameOf(row);
  });
  const left = instances.length - named.length;
  return [...named, ...(left > 0 ? [`${left} more cannot either`] : [])].join('; ');
}

/** The obstacles that stay until somebody does something about the instance. */
const lasting: Partial<Record<ObstacleCode, true>> = {
  off: true,
  unreachable: true,
  lacks: true,
  not_targeted: true,
};

/**
 * Returns the instances from which this obstacle alone keeps the task. There is none when another instance may take it
 * without anybody's help.
 */
export function keptOnlyBy(
  code: 'unreachable' | 'off',
  instances: readonly InstanceObstacles[],
): readonly InstanceObstacles[] {
  const isStuck = instances.every(({ obstacles }) => obstacles.some((each) => each.code in lasting));
  if (!isStuck) return [];
  return instances.filter(({ obstacles }) => obstacles.every((each) => each.code === code));
}

export function namesOf(instances: readonly InstanceObstacles[]): string {
  const named = instances.slice(0, maxNamed).map(({ row }) => nameOf(row));
  return [...named, ...(instances.length > maxNamed ? ['…'] : [])].join(', ');
}

/** Returns what would let the task start sooner. A thing that alone keeps the task from an instance stands first. */
export function helpFor(instances: readonly InstanceObstacles[]): string[] {
  return instances
    .filter(({ obstacles }) => obstacles.some(({ code }) => code in remedies))
    .sort((a, b) => a.obstacles.length - b.obstacles.length || lackingOf(a) - lackingOf(b))
    .slice(0, maxHelp)
    .map(({ row, obstacles }) => {
      const texts = obstacles.filter(({ code }) => code in remedies).map(textOf);
      return `${nameOf(row)} ${texts.join(', and ')}.`;
    });
}

/** The obstacles that a person can remove. */
const remedies: Partial<Record<ObstacleCode, true>> = {
  off: true,
  draining: true,
  unreachable: true,
  paused: true,
  used_by_others: true,
  lacks: true,
  not_targeted: true,
};

function lackingOf({ obstacles }: InstanceObstacles): number {
  return obstacles.reduce((sum, { nodes = [], models = [] }) => sum + nodes.length + models.length, 0);
}

function textOf(obstacle: Obstacle): string {
  const { code, untilMs, pause } = obstacle;
  const until = untilMs === undefined ? '' : ` until ${toIso(untilMs)}`;
  switch (code) {
    case 'off':
      return 'is switched off';
    case 'draining':
      return 'is being drained';
    case 'unreachable':
      return 'does not answer';
    case 'checking':
      return 'has not told yet what it can run';
    case 'suspect':
      return 'is left out until it shows that it works again';
    case 'paused':
      return pausedText(pause);
    case 'used_by_others':
      return 'is busy with somebody else’s work';
    case 'busy':
      return 'works on another task';
    case 'not_targeted':
      return 'is not where the task may run';
    case 'lacks':
      return `lacks ${lackText(obstacle)}`;
    case 'cooling':
      return `failed at such tasks and is left out${until}`;
    case 'avoided':
      return `refused this task or failed at it and is left out${until}`;
  }
}

function pausedText(pause: Obstacle['pause']): string {
  if (!pause) return 'is paused';
  const by = pause.role === 'administrator' ? 'an administrator' : 'the owner of the task';
  const what =
    pause.scope === 'user'
      ? 'is given no task of this user, whose tasks are paused'
      : pause.scope === 'pool'
        ? `belongs to the pool ${pause.target}, which is paused`
        : 'is given no task while the queue is paused';
  return `${what} by ${by} since ${pause.since}${pause.reason === null ? '' : ` (${pause.reason})`}`;
}

function lackText({ nodes = [], models = [] }: Obstacle): string {
  const all = [...nodes.map((node) => `the node ${node}`), ...models.map((model) => `\`${model}\``)];
  const left = all.length - maxNamed;
  return [...all.slice(0, maxNamed), ...(left > 0 ? [`${left} more`] : [])].join(' and ');
}
