import type { Clock } from '../../lib/clock.ts';
import type { DispatchEvent, DispatchEvents } from '../dispatch-events.ts';
import type { StoredFileStore } from '../files/stored-file-store.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Requirement } from '../graphs/capability.ts';
import type { Configuration } from '../instances/configuration.ts';
import type { Monitor } from '../monitor/monitor.ts';
import { avoidancesOf } from '../queue/avoidance.ts';
import type { Matchmaker } from '../queue/matchmaker.ts';
import type { Pauses } from '../queue/pauses.ts';
import { pendingOf } from '../queue/pending-task.ts';
import type { TaskRow } from '../tables.ts';
import type { AttemptStore } from '../tasks/attempt-store.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import type { News } from './news.ts';

interface Rows {
  tasks: ReadonlyMap<string, TaskRow>;
  requirements: ReadonlyMap<string, Requirement>;
  attempts: Awaited<ReturnType<AttemptStore['ofEach']>>;
}

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
    events: Pick<DispatchEvents, 'passOn' | 'isFollowed'>;
    monitor: Pick<Monitor, 'countStart' | 'countEnd'>;
    /** The time for which a task avoids an instance the first time. */
    avoidMs: number;
    clock: Clock;
  }) {
    this.#options = options;
  }

  async takeIn(news: readonly News[]): Promise<void> {
    const rows = await this.#read(news);
    for (const each of news) {
      this.#count(each);
      const event =
        'id' in each && each.type.startsWith('task_') ? this.#ofTask(each, rows) : await this.#of(each);
      if (event) this.#options.events.passOn(event);
    }
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
    const followed = news.flatMap((each) =>
      isOfRow(each) && (waiting.has(each.id) || events.isFollowed(each.id, each.owner)) ? [each.id] : [],
    );
    const [rows, requirements, tried] = await Promise.all([
      tasks.rowsOf([...new Set([...followed, ...idsOf(news, ['task_moved'])])]),
      tasks.requirementsOf([...waiting]),
      attempts.ofEach(idsOf(news, ['task_requeued']).filter((id) => waiting.has(id))),
    ]);
    return { tasks: new Map(rows.map((row) => [row.id, row])), requirements, attempts: tried };
  }

  #ofTask(news: News & { id: string }, rows: Rows): DispatchEvent | null {
    const { queue } = this.#options;
    const task = rows.tasks.get(news.id);
    if (news.type === 'task_progress') {
      const { id: taskId, owner, requestId, progress } = news;
      return { type: news.type, taskId, owner, requestId, progress };
    }
    if (news.type === 'task_execution') {
      const { id: taskId, owner, event } = news;
      return { type: news.type, taskId, owner, event };
    }
    if (news.type === 'task_claimed' || news.type === 'task_ended') queue.remove(news.id);
    if (!task) return null;
    switch (news.type) {
      case 'task_created':
        this.#add(task, rows, 0);
        return { type: news.type, task };
      case 'task_requeued':
        this.#add(task, rows, news.delayMs);
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

  #add(task: TaskRow, { requirements, attempts }: Rows, delayMs: number): void {
    const requirement = requirements.get(task.id);
    if (task.phase !== 'queued' || !requirement) return;
    const { queue, avoidMs: firstMs, clock } = this.#options;
    const avoids = avoidancesOf(attempts.get(task.id) ?? [], { nowMs: clock(), firstMs });
    queue.addLater(pendingOf(task, requirement, avoids), delayMs);
  }

  async #of(news: News): Promise<DispatchEvent | null> {
    const { fleet, configuration, pauses, files } = this.#options;
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
      case 'batch_finished':
        return { type: news.type, batchId: news.id };
      case 'files_created':
        return {
          type: news.type,
          owner: news.owner,
          files: await files.getMany({ user: news.owner }, news.ids),
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

/** Returns true for news whose event has the row of the task. */
function isOfRow(
  news: News,
): news is News & { type: 'task_created' | 'task_started' | 'task_requeued' | 'task_ended' } {
  return ['task_created', 'task_started', 'task_requeued', 'task_ended'].includes(news.type);
}

/** The tasks that wait after these news. One that was taken in between needs no place in the queue. */
function stillWaiting(news: readonly News[]): Set<string> {
  const waiting = new Set<string>();
  for (const each of news) {
    if (each.type === 'task_created' || each.type === 'task_requeued') waiting.add(each.id);
    if (each.type === 'task_claimed' || each.type === 'task_ended') waiting.delete(each.id);
  }
  return waiting;
}

function idsOf(news: readonly News[], types: readonly News['type'][]): string[] {
  return [...new Set(news.flatMap((each) => ('id' in each && types.includes(each.type) ? [each.id] : [])))];
}
