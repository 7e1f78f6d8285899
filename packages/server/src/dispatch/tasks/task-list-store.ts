import type { TaskStatusFilter } from '@switchyard/contract/dispatch/task';
import { maxCountedTasks, type TaskCounts } from '@switchyard/contract/dispatch/tasks';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { firstIdAt } from '../../lib/ids.ts';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Dialect, isOneOf } from '../../platform/database/dialect.ts';
import type { DispatchTables, TaskRow } from '../tables.ts';
import { readCounts } from './task-counts-store.ts';

export interface TaskFilter {
  status?: TaskRow['status'] | undefined;
  /** Only tasks that were cancelled, or none of them. */
  cancelled?: boolean | undefined;
  instanceId?: string | undefined;
  owner?: string | undefined;
  tag?: string | undefined;
  threadId?: string | undefined;
  /** Part of the name, or the start of the id. */
  text?: string | undefined;
  /** The bounds of their creation time. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

export interface TaskPage extends TaskFilter {
  order: 'asc' | 'desc';
  limit: number;
  offset: number;
}

/** The part of a filter that asks for a status: a task that was cancelled has failed. */
export function ofStatus(status: TaskStatusFilter | undefined): Pick<TaskFilter, 'status' | 'cancelled'> {
  return status === 'cancelled' ? { status: 'failed', cancelled: true } : { status };
}

/** Beyond this many rows a filtered list says "at least" instead of counting on. */
export const countCeiling = maxCountedTasks;

export class TaskListStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** A page and how many tasks there are in all, at one moment. */
  async list(owner: Owner, page: TaskPage): Promise<{ rows: TaskRow[]; total: number; isMinimum: boolean }> {
    return this.#database.snapshot(async (frozen) => {
      const store = new TaskListStore(frozen);
      const rows = await store.page(owner, page);
      return { rows, ...(await store.total(owner, page)) };
    });
  }

  /** Returns how many tasks of the filter are in each status, at one moment. */
  async countByStatus(owner: Owner, filter: Omit<TaskFilter, 'status' | 'cancelled'>): Promise<TaskCounts> {
    return this.#database.snapshot(async (frozen) => {
      const store = new TaskListStore(frozen);
      const bounds = { maxCount: countCeiling, countIsMinimum: false, cancelledIsMinimum: false };
      const counts: TaskCounts = { ...noTasks, cancelled: 0, ...bounds };
      for (const status of statuses) {
        const { total, isMinimum } = await store.total(owner, { ...filter, status });
        counts[status] = total;
        if (isMinimum) counts.countIsMinimum = true;
      }
      if (counts.failed > 0) Object.assign(counts, await store.#cancelled(owner, filter));
      return counts;
    });
  }

  /** No index knows which tasks were cancelled, so this reads the newest failed ones, up to the ceiling. */
  async #cancelled(
    owner: Owner,
    filter: TaskFilter,
  ): Promise<Pick<TaskCounts, 'cancelled' | 'cancelledIsMinimum'>> {
    const { read, dialect } = this.#database;
    const failed = filtered(
      visibleTo(owner, read.selectFrom('tasks')),
      { ...filter, status: 'failed' },
      dialect,
    )
      .select('tasks.error')
      .orderBy('tasks.id', 'desc')
      .limit(countCeiling + 1);
    const isCancelled = wasCancelled('failed.error', dialect);
    const counted = await read
      .selectFrom(failed.as('failed'))
      .select((select) => [
        select.fn.countAll<number>().as('failed'),
        sql<number | null>`sum(case when ${isCancelled} then 1 else 0 end)`.as('cancelled'),
      ])
      .executeTakeFirstOrThrow();
    return {
      cancelled: Number(counted.cancelled),
      cancelledIsMinimum: Number(counted.failed) > countCeiling,
    };
  }

  async page(owner: Owner, page: TaskPage): Promise<TaskRow[]> {
    const { order, limit, offset } = page;
    if (!isSplit(page)) {
      return filtered(visibleTo(owner, this.#database.read.selectFrom('tasks')), page, this.#database.dialect)
        .selectAll('tasks')
        .orderBy('tasks.id', order)
        .limit(limit)
        .offset(offset)
        .execute();
    }
    const ids = await this.#idsOfEachStatus(owner, page, { order, limit: limit + offset })
      .orderBy('id', order)
      .limit(limit)
      .offset(offset)
      .execute();
    if (ids.length === 0) return [];
    return this.#database.read
      .selectFrom('tasks')
      .selectAll()
      .where(
        'id',
        'in',
        ids.map(({ id }) => id),
      )
      .orderBy('id', order)
      .execute();
  }

  /**
   * Returns the exact total from kept counters when only owner and status filter; otherwise counts up to the ceiling.
   */
  async total(owner: Owner, filter: TaskFilter): Promise<{ total: number; isMinimum: boolean }> {
    const { instanceId, tag, threadId, text, sinceMs, untilMs, status, cancelled } = filter;
    const isCounted = [instanceId, tag, threadId, text, sinceMs, untilMs, cancelled].every(
      (value) => value === undefined,
    );
    if (isCounted) {
      const counts = await this.#counts(owner, filter.owner);
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return { total: status ? counts[status] : all, isMinimum: false };
    }
    const limit = countCeiling + 1;
    const rows = isSplit(filter)
      ? this.#idsOfEachStatus(owner, filter, { order: 'desc', limit })
      : this.#ids(owner, filter).limit(limit);
    const { count } = await this.#database.read
      .selectFrom(rows.as('matching'))
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return { total: Math.min(Number(count), countCeiling), isMinimum: Number(count) > countCeiling };
  }

  /** The oldest tasks of these statuses that the filter fits, each with its owner. */
  async idsOf(
    owner: Owner,
    filter: Omit<TaskFilter, 'status'>,
    { statuses: wanted, limit }: { statuses: readonly TaskRow['status'][]; limit: number },
  ): Promise<{ id: string; owner: string }[]> {
    const found: { id: string; owner: string }[] = [];
    for (const status of wanted) {
      const rows = this.#ids(owner, { ...filter, status })
        .select('tasks.owner')
        .orderBy('tasks.id')
        .limit(limit);
      found.push(...(await rows.execute()));
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  }

  /** Those of these tasks that the owner may see. */
  async ownersOf(owner: Owner, taskIds: readonly string[]): Promise<{ id: string; owner: string }[]> {
    return visibleTo(owner, this.#database.read.selectFrom('tasks'))
      .select(['tasks.id', 'tasks.owner'])
      .where(isOneOf(this.#database.dialect, { column: 'tasks.id', values: taskIds }))
      .orderBy('tasks.id')
      .execute();
  }

  #ids(owner: Owner, filter: TaskFilter) {
    const { read, dialect } = this.#database;
    return filtered(visibleTo(owner, read.selectFrom('tasks')), filter, dialect).select('tasks.id');
  }

  /** The first ids of each status, each from its own range of an index, so that no other rows are read. */
  #idsOfEachStatus(owner: Owner, filter: TaskFilter, first: { order: TaskPage['order']; limit: number }) {
    const [some, ...others] = statuses.map((status) => {
      const ofStatus = this.#ids(owner, { ...filter, status }).orderBy('tasks.id', first.order);
      return this.#database.read.selectFrom(ofStatus.limit(first.limit).as(status)).select('id');
    });
    return others.reduce((all, next) => all.unionAll(next), some as NonNullable<typeof some>);
  }

  /** A user who asks for another user's counts gets none. */
  #counts(owner: Owner, wanted: string | undefined) {
    const checked = requireOwner(owner);
    if (!('user' in checked)) return readCounts(this.#database, wanted);
    if (wanted !== undefined && wanted !== checked.user) return noTasks;
    return readCounts(this.#database, checked.user);
  }
}

const noTasks = { pending: 0, running: 0, completed: 0, failed: 0 };

const statuses = ['pending', 'running', 'completed', 'failed'] as const satisfies TaskRow['status'][];

/** The indexes by instance order by status before id. */
function isSplit({ instanceId, status }: TaskFilter): boolean {
  return instanceId !== undefined && status === undefined;
}

/** Limits the query to what this owner may see. */
export function visibleTo<Output>(
  owner: Owner,
  query: SelectQueryBuilder<DispatchTables, 'tasks', Output>,
): SelectQueryBuilder<DispatchTables, 'tasks', Output> {
  const checked = requireOwner(owner);
  return 'user' in checked ? query.where('tasks.owner', '=', checked.user) : query;
}

function filtered<Output>(
  query: SelectQueryBuilder<DispatchTables, 'tasks', Output>,
  filter: TaskFilter,
  dialect: Dialect,
): SelectQueryBuilder<DispatchTables, 'tasks', Output> {
  const { status, cancelled, owner, instanceId, sinceMs, untilMs, tag, threadId, text } = filter;
  let narrowed = query;
  if (status !== undefined) narrowed = narrowed.where('tasks.status', '=', status);
  if (cancelled !== undefined) {
    const isCancelled = wasCancelled('tasks.error', dialect);
    narrowed = narrowed.where(cancelled ? isCancelled : sql<boolean>`not (${isCancelled})`);
  }
  if (owner !== undefined) narrowed = narrowed.where('tasks.owner', '=', owner);
  if (instanceId !== undefined) narrowed = narrowed.where('tasks.instanceId', '=', instanceId);
  // An id begins with the time of its row, so a span of time is a range of the index.
  if (sinceMs !== undefined) narrowed = narrowed.where('tasks.id', '>=', firstIdAt(sinceMs));
  if (untilMs !== undefined) narrowed = narrowed.where('tasks.id', '<', firstIdAt(untilMs));
  if (tag !== undefined) narrowed = narrowed.where(hasTag(tag));
  if (threadId !== undefined) narrowed = narrowed.where(isOfThread(threadId, dialect));
  if (text !== undefined) narrowed = narrowed.where(isNamed(text));
  return narrowed;
}

/**
 * Tags are stored as a JSON list, in which a whole tag is found by its quoted form. This uses `replace` instead of
 * `like`, since `like` respects case on one database and not on the other.
 */
function hasTag(tag: string): RawBuilder<boolean> {
  return sql<boolean>`replace(${sql.ref('tasks.tags')}, ${JSON.stringify(tag)}, '') <> ${sql.ref('tasks.tags')}`;
}

export function wasCancelled(error: string, dialect: Dialect): RawBuilder<boolean> {
  return dialect === 'postgres'
    ? sql<boolean>`${sql.ref(error)}::json ->> 'code' = 'cancelled'`
    : sql<boolean>`${sql.ref(error)} ->> '$.code' = 'cancelled'`;
}

function isOfThread(threadId: string, dialect: Dialect): RawBuilder<boolean> {
  const conversation = sql.ref('tasks.conversation');
  return dialect === 'postgres'
    ? sql<boolean>`${conversation}::json ->> 'threadId' = ${threadId}`
    : sql<boolean>`${conversation} ->> '$.threadId' = ${threadId}`;
}

function isNamed(text: string): RawBuilder<boolean> {
  const escaped = text.toLowerCase().replace(/[\\%_]/g, '\\$&');
  return sql<boolean>`(lower(${sql.ref('tasks.name')}) like ${`%${escaped}%`} escape '\\'
    or ${sql.ref('tasks.id')} like ${`${escaped}%`} escape '\\')`;
}
