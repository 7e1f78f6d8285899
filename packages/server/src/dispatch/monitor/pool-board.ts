import type { PoolOverview } from '@switchyard/contract/dispatch/overview';
import type { Task } from '@switchyard/contract/dispatch/task';
import type { Clock } from '../../lib/clock.ts';
import { toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import type { InstanceStore } from '../instances/instance-store.ts';
import type { Tasks } from '../intake/tasks.ts';
import type { TaskRow } from '../tables.ts';
import type { TaskListStore } from '../tasks/task-list-store.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { Monitor } from './monitor.ts';
import { PoolLoad } from './pool-load.ts';
import type { PoolLoadStore } from './pool-load-store.ts';

export interface BoardStores {
  instances: InstanceStore;
  tasks: TaskStore;
  lists: Pick<TaskListStore, 'page'>;
  load: PoolLoadStore;
}

export interface BoardReader {
  owner: Owner;
  origin: string | undefined;
}

const minutesShown = 60;
const maxRunning = 20;
const maxRecent = 12;

/** Everything that the first page shows, as it was at one moment. */
export class PoolBoard {
  readonly #options;

  constructor(options: {
    together: ReadTogether<BoardStores>;
    monitor: Pick<Monitor, 'view'>;
    tasks: Pick<Tasks, 'views'>;
    clock: Clock;
  }) {
    this.#options = options;
  }

  async read(reader: BoardReader): Promise<PoolOverview> {
    const { together, monitor, clock } = this.#options;
    const nowMs = clock();
    const load = new PoolLoad({ nowMs, minutes: minutesShown });
    const found = await together(async (stores) => ({
      rows: await stores.instances.list(),
      counts: await stores.tasks.counts(),
      oldest: await stores.tasks.oldestPending(),
      lastUsed: await stores.load.lastUsed(),
      ended: await stores.load.endedSince(load.from),
      attempts: await stores.load.running(),
      running: await stores.lists.page(reader.owner, pageOf('running', maxRunning)),
      waiting: await stores.lists.page(reader.owner, pageOf('pending', 1)),
      recent: await stores.lists.page(reader.owner, pageOf('completed', maxRecent)),
    }));
    for (const group of found.ended) load.add(group);
    for (const attempt of found.attempts) load.addRunning(attempt);
    const { running, last, recent } = await this.#tasksOf(reader, found);
    return {
      at: toIso(nowMs),
      counts: monitor.view(found),
      minutes: load.minutes.map((at, index) => ({
        at,
        completed: load.completed[index] ?? 0,
        failed: load.failed[index] ?? 0,
      })),
      instances: found.rows
        .filter(({ removed }) => removed === 0)
        .map(({ id, serverName, state }) => ({
          instanceId: id,
          serverName,
          state,
          utilisation: load.utilisationOf(id),
          busy: load.busyOf(id),
          lastUsedAt: found.lastUsed.get(id) ?? null,
        })),
      running,
      lastInLine: last,
      recent,
    };
  }

  async #tasksOf(
    reader: BoardReader,
    rows: { running: TaskRow[]; waiting: TaskRow[]; recent: TaskRow[] },
  ): Promise<{ running: Task[]; last: Task | null; recent: Task[] }> {
    const { tasks } = this.#options;
    const [running, waiting, recent] = await Promise.all([
      tasks.views(reader, rows.running),
      tasks.views(reader, rows.waiting),
      tasks.views(reader, rows.recent),
    ]);
    return { running, last: waiting[0] ?? null, recent };
  }
}

function pageOf(status: TaskRow['status'], limit: number) {
  return { status, limit, offset: 0, order: 'desc' as const };
}
