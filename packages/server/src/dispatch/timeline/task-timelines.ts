import type { TaskSpan, TaskTimeline } from '@switchyard/contract/dispatch/timeline';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import {
  firstAfter,
  markOf,
  markText,
  pageOf,
  type SpanPlace,
  spanPlaceAt,
  timeBefore,
} from '../../lib/timeline-page.ts';
import type { WorkerPrice } from '../../lib/worker-price.ts';
import type { Database } from '../../platform/database/database.ts';
import { type ReadTogether, readTogether } from '../../platform/database/snapshot.ts';
import { InstanceStore } from '../instances/instance-store.ts';
import type { DispatchTables } from '../tables.ts';
import { AttemptStore } from '../tasks/attempt-store.ts';
import type { NodeTimes } from '../tasks/node-times.ts';
import { TaskNodes } from '../tasks/task-nodes.ts';
import { TaskStore } from '../tasks/task-store.ts';
import { spansOfTask, type TimedTask } from './task-spans.ts';
import { TaskTimelineStore, type TaskWindow } from './task-timeline-store.ts';

interface TimelineStores {
  store: TaskTimelineStore;
  nodes: Pick<TaskNodes, 'of'>;
  instances: Pick<InstanceStore, 'list'>;
}

interface TaskTimelinesOptions {
  together: ReadTogether<TimelineStores>;
  /** Null when workers have no price. */
  price: WorkerPrice | null;
  clock: Clock;
}

/** Reads all rows of an answer in one moment. */
export function timelinesOver(
  rows: Database<DispatchTables>,
  { times, ...parts }: Omit<TaskTimelinesOptions, 'together'> & { times: NodeTimes },
): TaskTimelines {
  const together = readTogether(rows, (frozen) => ({
    store: new TaskTimelineStore(frozen),
    nodes: new TaskNodes({ tasks: new TaskStore(frozen), attempts: new AttemptStore(frozen), times }),
    instances: new InstanceStore(frozen),
  }));
  return new TaskTimelines({ ...parts, together });
}

export interface SpanQuery extends TaskWindow {
  after: SpanPlace | null;
  limit: number;
}

const usualLimit = 200;
/** Tasks are read in groups of so many, until there are spans enough. */
const tasksAtOnce = 50;

/** Shows what tasks did, from their rows: it is the same after a restart. */
export class TaskTimelines {
  readonly #options: TaskTimelinesOptions;

  constructor(options: TaskTimelinesOptions) {
    this.#options = options;
  }

  async page(
    owner: Owner,
    taskId: string,
    {
      limit = usualLimit,
      ...query
    }: { limit?: number | undefined; cursor?: string | undefined; since?: string | undefined },
  ): Promise<TaskTimeline> {
    const after = spanPlaceAt(query.cursor);
    const since = markOf(query.since);
    const mark = markText({ revision: 0, atMs: this.#options.clock() });
    const window = { taskIds: [taskId], from: null, until: null, changedSince: null };
    const { task, spans } = await this.#options.together(async (stores) => {
      const [found] = await stores.store.tasks(owner, window);
      if (!found) throw new AppError('task_not_found');
      return { task: found, spans: await this.#spansOf([found], stores) };
    });
    const changed = since ? spans.filter((span) => isOpenAt(span, timeBefore(since))) : spans;
    const page = pageOf(changed, { after, limit });
    return { taskId, ...page, mark, live: task.finishedAt === null };
  }

  /** The first spans of these tasks after a place, in their order. Tasks of others are left out. */
  async first(owner: Owner, query: SpanQuery): Promise<TaskSpan[]> {
    return this.#options.together((stores) => this.#first(owner, query, stores));
  }

  async #first(
    owner: Owner,
    { after, limit, ...window }: SpanQuery,
    stores: TimelineStores,
  ): Promise<TaskSpan[]> {
    const tasks = await stores.store.tasks(owner, window);
    let found: TaskSpan[] = [];
    for (let from = 0; from < tasks.length; from += tasksAtOnce) {
      const group = tasks.slice(from, from + tasksAtOnce);
      const last = found.length === limit ? found.at(-1) : undefined;
      // All that follows begins later than what has been found.
      if (last && (group[0]?.createdAt ?? '') > last.start) break;
      const spans = await this.#spansOf(group, stores);
      const { changedSince } = window;
      const changed = changedSince === null ? spans : spans.filter((span) => isOpenAt(span, changedSince));
      found = firstAfter([...found, ...changed], { after, limit });
    }
    return found;
  }

  async #spansOf(tasks: readonly TimedTask[], { nodes, instances }: TimelineStores): Promise<TaskSpan[]> {
    const { price, clock } = this.#options;
    const names = new Map((await instances.list()).map(({ id, serverName }) => [id, serverName]));
    const spans: TaskSpan[] = [];
    for (const task of tasks) {
      const attempts = await nodes.of(task.id);
      const nameOf = (id: string): string | null => names.get(id) ?? null;
      spans.push(...spansOfTask({ task, attempts, nameOf, price, nowMs: clock() }));
    }
    return spans;
  }
}

/** Returns whether a span began, went on or ended after this time. */
function isOpenAt({ end }: TaskSpan, time: string): boolean {
  return end === null || end >= time;
}
