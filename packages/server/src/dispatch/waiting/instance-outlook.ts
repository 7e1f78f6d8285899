import type { InstanceOutlook } from '@switchyard/contract/dispatch/task-why';
import type { InstanceObstacles } from '../fleet/fleet.ts';
import { viewObstacle } from './obstacle-text.ts';

export const maxInstancesListed = 100;

/** Returns what a user may know of an instance: whether it could run a task, and every reason why not now. */
export function viewInstance({ row, obstacles }: InstanceObstacles): InstanceOutlook {
  return {
    instanceId: row.id,
    serverName: row.serverName,
    couldRun: isAble({ obstacles }),
    reasons: obstacles.map((obstacle) => viewObstacle(row, obstacle)),
  };
}

/** It has no obstacle but work for this gateway. */
export function isAble({ obstacles }: Pick<InstanceObstacles, 'obstacles'>): boolean {
  return obstacles.every(({ code }) => code === 'busy');
}
