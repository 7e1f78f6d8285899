import type { Clock } from '../../lib/clock.ts';
import type { DispatchEvent, DispatchEvents } from '../dispatch-events.ts';
import type { FileRow, StoredFileStore } from '../files/stored-file-store.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Requirement } from '../graphs/capability.ts';
import type { Configuration } from '../instances/configuration.ts';
import type { Monitor } from '../monitor/monitor.ts';
import { type Avoidance, avoidancesOf } from '../queue/avoidance.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import type { Pauses } from '../queue/pauses.ts';
import type { PendingTask } from '../queue/pending-entry.ts';
import { pendingOf } from '../queue/pending-task.ts';
import type { TaskRow } from '../tables.ts';
import type { AttemptStore } from '../tasks/attempt-store.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { News } from './news.ts';

interface Rows {
  tasks: ReadonlyMap<string, TaskRow>;
  requirements: ReadonlyMap<string, Requirement>;
  attempts: Awaited<ReturnType<AttemptStore['ofEach']>>;
  files: ReadonlyMap<string, FileRow>;
}

/** Keeps a question well below the maximum number of parameters. */
const filesAtOnce = 500;

/**
 * Makes what this replica has in memory follow the news of the others, and passes the news on to its listeners. Rows are read
 * for tasks that wait, and for those that someone here follows.
 */
export class TakeInNews {
  readonly #options;

  constructor(options: {
    tasks: Pick<TaskStore, 'rowsOf' | 'requirementsOf'>;
    attempts: Pick<AttemptStore, 'ofEach'>;
    files: Pick<StoredFileStore, 'getMany'>;
    queue: Pick<Matchmaker, 'add' | 'addLater' | 'remove' | 'moveToFront'>;
    pauses: Pick<Pauses, 'load'>;
    fleet: Pick<Fleet, 'apply' | 'member'>;
    configuration: Pick<Configuration, 'refresh'>;
    events: Pick<DispatchEvents, 'passOn' | 'isFollowed' | 'followsTasksOf'>;
    monitor: Pick<Monitor, 'countStart' | 'countEnd'>;
    /** The time for which a task avoids an instance the first time. */
    avoidMs: number;
    clock: Clock;
  }) {
    this.#options = options;
  }

  async takeIn(news: readonly News[]): Promise<void> {
    const { events } = this.#options;
    const rows = await this.#read(news);
    let hasUnread = false;
    for (const each of news) {
      this.#count(each);
      const event =
        'id' in each && each.type.startsWith('task_') ? this.#ofTask(each, rows) : await this.#of(each, rows);
      if (event) events.passOn(event);
      else hasUnread ||= isOfRow(each);
    }
    if (hasUnread) events.passOn({ type: 'tasks_changed' });
  }

  #count(news: News): void {
    const { monitor } = this.#options;
    if (news.type === 'task_started') monitor.countStart(news);
    if (news.type === 'task_ended') monitor.countEnd();
  }

  /** One question for each table, however many news there are. */
  async #read(news: readonly News[]): Promise<Rows> {
    const { tasks, attempts, events } = this.#options;
    const waiting = stillWaiting(news);
    const wanted = news.flatMap((each) =>
      isOfRow(each) && (waiting.has(each.id) || events.isFollowed(each.id, each.owner)) ? [each.id] : [],
    );
    const [rows, requirements, tried, files] = await Promise.all([
      tasks.rowsOf([...new Set([...wanted, ...idsOf(news, ['task_moved'])])]),
      tasks.requirementsOf([...waiting]),
      attempts.ofEach(idsOf(news, ['task_requeued']).filter((id) => waiting.has(id))),
      this.#readFiles(news),
    ]);
    return { tasks: new Map(rows.map((row) => [row.id, row])), requirements, attempts: tried, files };
  }

  /** One question for each owner whom someone here follows: a user sees no files of others. */
  async #readFiles(news: readonly News[]): Promise<Rows['files']> {
    const { files, events } = this.#options;
    const idsByOwner = new Map<string, string[]>();
    for (const each of news) {
      if (each.type !== 'files_created' || !events.followsTasksOf(each.owner)) continue;
      idsByOwner.set(each.owner, [...(idsByOwner.get(each.owner) ?? []), ...each.ids]);
    }
    const found = new Map<string, FileRow>();
    for (const [user, ids] of idsByOwner) {
      for (let start = 0; start < ids.length; start += filesAtOnce) {
        const rows = await files.getMany({ user }, ids.slice(start, start + filesAtOnce));
        for (const row of rows) found.set(row.id, row);
      }
    }
    return found;
  }

  #ofTask(news: News & { id: string }, rows: Rows): DispatchEvent | null {
    const { queue } = this.#options;
    const task = rows.tasks.get(news.id);
    const known = eventWithoutRow(news);
    if (known) return known;
    if (news.type === 'task_claimed' || news.type === 'task_ended') queue.remove(news.id);
    if (news.type === 'task_created') {
      const waits = news.waits ? { ...news.waits, avoids: [] } : placeOf(task, rows.requirements);
      if (waits) queue.add(waits);
      return task ? { type: news.type, task, waits } : null;
    }
    if (!task) return null;
    switch (news.type) {
      case 'task_requeued':
        this.#addAgain(task, rows, news.delayMs);
        return { type: news.type, task, delayMs: news.delayMs };
      case 'task_moved':
        if (task.frontAt !== null) queue.moveToFront(task.id, Date.parse(task.frontAt));
        return { type: news.type, task, position: news.position };
      case 'task_started':
      case 'task_ended':
        return { type: news.type, task };
      default:
        return null;
    }
  }

  #addAgain(task: TaskRow, { requirements, attempts }: Rows, delayMs: number): void {
    const { queue, avoidMs: firstMs, clock } = this.#options;
    const avoids = avoidancesOf(attempts.get(task.id) ?? [], { nowMs: clock(), firstMs });
    const waits = placeOf(task, requirements, avoids);
    if (waits) queue.addLater(waits, delayMs);
  }

  async #of(news: News, { files }: Rows): Promise<DispatchEvent | null> {
    const { fleet, configuration, pauses, events } = this.#options;
    switch (news.type) {
      case 'instance_changed':
        fleet.member(news.instance.id)?.hear(news.instance);
        return news;
      case 'instance_learned':
        await fleet.member(news.id)?.readOffer();
        return { type: news.type, instanceId: news.id };
      case 'instance_removed':
        await fleet.apply();
        return { type: news.type, instanceId: news.id };
      case 'fleet_changed':
        await fleet.apply();
        return { type: news.type };
      case 'settings_changed':
        await configuration.refresh();
        return null;
      case 'queue_changed':
        await pauses.load();
        return news;
      case 'sweep_changed':
      case 'files_marked':
      case 'collection_changed':
      case 'share_changed':
        return news;
      case 'batch_finished':
        return { type: news.type, batchId: news.id };
      case 'files_created':
        if (!events.followsTasksOf(news.owner)) return null;
        return {
          type: news.type,
          owner: news.owner,
          files: news.ids.flatMap((id) => files.get(id) ?? []),
        };
      case 'files_deleted':
        return { type: news.type, owner: news.owner, fileIds: news.ids };
      case 'thread_news':
        return news;
      default:
        return null;
    }
  }
}

/** Returns the event of news about a task that say everything themselves. */
function eventWithoutRow(news: News): DispatchEvent | null {
  switch (news.type) {
    case 'task_progress': {
      const { id: taskId, owner, requestId, progress } = news;
      return { type: news.type, taskId, owner, requestId, progress };
    }
    case 'task_execution': {
      const { id: taskId, owner, event } = news;
      return { type: news.type, taskId, owner, event };
    }
    case 'task_stopping':
      return { type: news.type, taskId: news.id, owner: news.owner };
    default:
      return null;
  }
}

/** Returns true for news whose event has the row of the task. */
function isOfRow(
  news: News,
): news is News & { type: 'task_created' | 'task_started' | 'task_requeued' | 'task_ended' } {
  return ['task_created', 'task_started', 'task_requeued', 'task_ended'].includes(news.type);
}

/** Returns null for a task that does not wait any more. */
function placeOf(
  task: TaskRow | undefined,
  requirements: Rows['requirements'],
  avoids: readonly Avoidance[] = [],
): PendingTask | null {
  const requirement = task && requirements.get(task.id);
  return requirement && task.phase === 'queued' ? pendingOf(task, requirement, avoids) : null;
}

/**
 * The tasks that wait after these news and whose place in the queue only their rows tell. One that was taken in between needs no
 * place.
 */
function stillWaiting(news: readonly News[]): Set<string> {
  const waiting = new Set<string>();
  for (const each of news) {
    if (each.type === 'task_created' && each.waits) continue;
    if (each.type === 'task_created' || each.type === 'task_requeued') waiting.add(each.id);
    if (each.type === 'task_claimed' || each.type === 'task_ended') waiting.delete(each.id);
  }
  return waiting;
}

function idsOf(news: readonly News[], types: readonly News['type'][]): string[] {
  return [...new Set(news.flatMap((each) => ('id' in each && types.includes(each.type) ? [each.id] : [])))];
}
