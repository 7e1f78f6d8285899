import { steadyClock } from '../lib/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { type ReadTogether, readTogether } from '../platform/database/snapshot.ts';
import type { DispatchDependencies } from './create-dependencies.ts';
import type { Records } from './create-records.ts';
import type { Instances } from './fleet/instances.ts';
import { InstanceStore } from './instances/instance-store.ts';
import type { Tasks } from './intake/tasks.ts';
import { Monitor } from './monitor/monitor.ts';
import { type BoardStores, PoolBoard } from './monitor/pool-board.ts';
import { PoolLoadStore } from './monitor/pool-load-store.ts';
import type { DispatchTables } from './tables.ts';
import { AttemptStore } from './tasks/attempt-store.ts';
import { TaskListStore } from './tasks/task-list-store.ts';
import { TaskNodes } from './tasks/task-nodes.ts';
import { TaskStore } from './tasks/task-store.ts';
import { TaskTimelineStore } from './timeline/task-timeline-store.ts';
import { TaskTimelines } from './timeline/task-timelines.ts';

export function createMonitor(
  { database, clock }: DispatchDependencies,
  { records, instances, tasks }: { records: Records; instances: Instances; tasks: Tasks },
): { together: ReadTogether<BoardStores>; monitor: Monitor; board: PoolBoard } {
  const together = readTogether(database, (frozen) => ({
    instances: new InstanceStore(frozen),
    tasks: new TaskStore(frozen),
    lists: new TaskListStore(frozen),
    load: new PoolLoadStore(frozen),
  }));
  const { events, pauses } = records;
  const monitor = new Monitor({ together, instances, events, pauses, clock, steadyClock });
  return { together, monitor, board: new PoolBoard({ together, monitor, tasks, clock }) };
}

export function createTimelines(
  { clock, options }: DispatchDependencies,
  { nodeTimes: times }: Records,
): (rows: Database<DispatchTables>) => TaskTimelines {
  return (rows) => {
    const together = readTogether(rows, (frozen) => ({
      store: new TaskTimelineStore(frozen),
      nodes: new TaskNodes({ tasks: new TaskStore(frozen), attempts: new AttemptStore(frozen), times }),
      instances: new InstanceStore(frozen),
    }));
    return new TaskTimelines({ together, price: options.workerPrice, clock });
  };
}
