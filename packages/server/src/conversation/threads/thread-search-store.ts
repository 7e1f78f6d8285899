import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { type Dialect, hasJsonEntry, hasJsonPart } from '../../platform/database/dialect.ts';
import type { ConversationTables, ThreadRow, ThreadSnapshotRow } from '../tables.ts';
import { type Condition, orderColumns, type ThreadFilter, type ThreadOrder } from './thread-filter.ts';

/** An ordered walk through a user's threads. */
export interface Walk {
  userId: string;
  order: ThreadOrder;
  /** The condition whose index is walked; null walks all threads of the user. */
  start: Condition | null;
  /** The conditions that threads on the way must meet besides. */
  rest: Pick<ThreadFilter, 'conditions' | 'parts' | 'values' | 'title'>;
}

/** One step of a walk: how many threads were looked at, which of them match, and where the next step continues. */
export interface Step {
  looked: number;
  matching: string[];
  last: Position | undefined;
}

/** The values of a row in the columns of the order. */
export type Position = string[];

export type FoundThreadRow = ThreadRow &
  Pick<ThreadSnapshotRow, 'interrupts' | 'error'> & { values?: string };

/**
 * The statements of the search. Each looks at a limited number of rows, which its conditions and its order name as a range of one
 * index: finding it needs no statistics, so wrong statistics cannot mislead it.
 */
export class ThreadSearchStore {
  readonly #read: Database<ConversationTables>['read'];
  readonly #dialect: Dialect;

  constructor({ read, dialect }: Pick<Database<ConversationTables>, 'read' | 'dialect'>) {
    this.#read = read;
    this.#dialect = dialect;
  }

  /** The ids on the way, without checking the other conditions. */
  async ids(walk: Walk, { limit, offset }: { limit: number; offset: number }): Promise<string[]> {
    const page = sql`${stretch(walk)} limit ${limit} offset ${offset}`;
    const { rows } = await sql<{ thread_id: string }>`select thread_id from (${page}) as page
      order by ${inOrder(walk.order)}`.execute(this.#read);
    return rows.map(({ thread_id }) => thread_id);
  }

  async step(walk: Walk, { after, limit }: { after: Position | undefined; limit: number }): Promise<Step> {
    const matches = this.#holds('step.thread_id', walk.rest);
    const { rows } = await sql<Record<string, string> & { thread_id: string; matches: number }>`
      select step.*, case when ${matches} then 1 else 0 end as matches
      from (${stretch(walk, after)} limit ${limit}) as step
      order by ${inOrder(walk.order)}`.execute(this.#read);
    const last = rows.at(-1);
    return {
      looked: rows.length,
      matching: rows.filter((row) => row.matches === 1).map(({ thread_id }) => thread_id),
      last: last && orderColumns[walk.order.sortBy].map((column) => String(last[column])),
    };
  }

  /** Counts the threads on the way, up to the limit. */
  async countUpTo(walk: Walk, limit: number): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (${stretch(walk)} limit ${limit}) as counted`.execute(this.#read);
    return Number(rows[0]?.count ?? 0);
  }

  /** All threads of the list that belong to the user and match, in order. */
  async matchesAmong({ userId, order, rest }: Walk, threadIds: string[]): Promise<string[]> {
    const { rows } = await sql<{ thread_id: string }>`
      select threads.thread_id from ${this.#listed(threadIds)} cross join threads
      where threads.thread_id = listed.value and ${isOwnedBy(userId)}
        and ${this.#holds('threads.thread_id', rest)}
      order by ${inOrder(order, 'threads')}`.execute(this.#read);
    return rows.map(({ thread_id }) => thread_id);
  }

  /** The size of the values of these threads, in bytes of JSON. */
  async valueBytes(threadIds: string[]): Promise<Map<string, number>> {
    const { rows } = await sql<{ thread_id: string; bytes: number }>`
      select shot.thread_id, octet_length(${sql.ref('shot.values')}) as bytes
      from ${this.#listed(threadIds)} cross join thread_snapshots as shot
      where shot.thread_id = listed.value`.execute(this.#read);
    return new Map(rows.map(({ thread_id, bytes }) => [thread_id, Number(bytes)]));
  }

  /** The rows of these threads, in the given order. */
  async rows(
    userId: string,
    threadIds: string[],
    { withValues }: { withValues: boolean },
  ): Promise<FoundThreadRow[]> {
    if (threadIds.length === 0) return [];
    const values = withValues ? sql`, ${sql.ref('shot.values')} as ${sql.ref('values')}` : sql``;
    const { rows } = await sql<FoundThreadRow>`
      select threads.*, shot.interrupts, shot.error ${values}
      from ${this.#listed(threadIds)} cross join threads
      left join thread_snapshots as shot on shot.thread_id = threads.thread_id
      where threads.thread_id = listed.value and ${isOwnedBy(userId)}`.execute(this.#read);
    const byId = new Map(rows.map((row) => [row.thread_id, row]));
    return threadIds.flatMap((threadId) => byId.get(threadId) ?? []);
  }

  #holds(threadId: string, { conditions, parts, values, title }: Walk['rest']): RawBuilder<boolean> {
    const id = sql.ref(threadId);
    const needs = conditions.map((condition) =>
      condition.kind === 'status'
        ? sql`exists (select 1 from threads as s where s.thread_id = ${id} and s.status = ${condition.status})`
        : sql`exists (select 1 from thread_metadata as m where m.thread_id = ${id}
            and m.key = ${condition.key} and m.value = ${condition.value})`,
    );
    for (const part of parts) {
      const has = hasJsonPart(this.#dialect, { column: 'p.metadata', ...part });
      needs.push(sql`exists (select 1 from threads as p where p.thread_id = ${id} and ${has})`);
    }
    const column = 'v.values';
    for (const { key, value } of values) {
      const entry = hasJsonEntry(this.#dialect, { column, key, value });
      needs.push(sql`exists (select 1 from thread_snapshots as v where v.thread_id = ${id} and ${entry})`);
    }
    if (title !== null) {
      const part = `%${title.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
      needs.push(sql`exists (select 1 from threads as t where t.thread_id = ${id}
        and lower(t.display_name) like ${part} escape '\\')`);
    }
    return needs.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`${sql.join(needs, sql` and `)}`;
  }

  /** A list as a table named `listed`; the cross join after it makes SQLite begin there. */
  #listed(values: string[]): RawBuilder<unknown> {
    const list = JSON.stringify(values);
    return this.#dialect === 'postgres'
      ? sql`json_array_elements_text(${list}::json) as listed(value)`
      : sql`json_each(${list}) as listed`;
  }
}

/** An expression, so that no index fits: otherwise SQLite would read all threads of the user for each listed one. */
function isOwnedBy(userId: string): RawBuilder<boolean> {
  return sql<boolean>`threads.user_id || '' = ${userId}`;
}

/** The rows of a walk after a position: a range of one index, in its order. */
function stretch({ userId, order, start }: Walk, after?: Position): RawBuilder<unknown> {
  const columns = orderColumns[order.sortBy];
  const where = [sql`user_id = ${userId}`];
  if (start?.kind === 'metadata')
    where.push(sql`${sql.ref('key')} = ${start.key}`, sql`${sql.ref('value')} = ${start.value}`);
  if (start?.kind === 'status') where.push(sql`status = ${start.status}`);
  if (after) {
    const beyond = order.order === 'desc' ? sql`<` : sql`>`;
    where.push(sql`(${sql.join(columns.map((column) => sql.ref(column)))}) ${beyond} (${sql.join(after)})`);
  }
  const table = start?.kind === 'metadata' ? 'thread_metadata' : 'threads';
  return sql`select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(table)}
    where ${sql.join(where, sql` and `)} order by ${inOrder(order)}`;
}

function inOrder({ sortBy, order }: ThreadOrder, table?: string): RawBuilder<unknown> {
  const direction = order === 'desc' ? sql`desc` : sql`asc`;
  const columns = orderColumns[sortBy].map((column) => (table ? `${table}.${column}` : column));
  return sql.join(columns.map((column) => sql`${sql.ref(column)} ${direction}`));
}
