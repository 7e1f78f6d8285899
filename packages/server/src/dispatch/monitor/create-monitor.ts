import { readTogether } from '../../platform/database/snapshot.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { Instances } from '../fleet/instances.ts';
import { InstanceStore } from '../instances/instance-store.ts';
import type { Tasks } from '../intake/tasks.ts';
import type { Pauses } from '../queue/pauses.ts';
import { TaskListStore } from '../tasks/task-list-store.ts';
import { TaskStore } from '../tasks/task-store.ts';
import { Monitor } from './monitor.ts';
import { monitorRoutes } from './monitor-routes.ts';
import { PoolBoard } from './pool-board.ts';
import { PoolLoadStore } from './pool-load-store.ts';

export function createMonitor(
  parts: Pick<DispatchParts, 'database' | 'events' | 'guard' | 'clock' | 'steadyClock'> & {
    instances: Instances;
    tasks: Tasks;
    pauses: Pauses;
  },
) {
  const together = readTogether(parts.database, (frozen) => ({
    instances: new InstanceStore(frozen),
    tasks: new TaskStore(frozen),
    lists: new TaskListStore(frozen),
    load: new PoolLoadStore(frozen),
  }));
  const monitor = new Monitor({ ...parts, together });
  const board = new PoolBoard({ ...parts, together, monitor });
  return { together, monitor, monitorRoutes: monitorRoutes({ ...parts, monitor, board }) };
}
