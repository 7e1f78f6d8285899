import { toIso } from '../../lib/clock.ts';
import { secondMs } from '../../lib/time-units.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { ConversationTables, ThreadRow, ThreadTtlTable } from '../tables.ts';

type Trx = WriteTransaction<ConversationTables>;

export interface ThreadTtl {
  seconds: number;
  strategy: ThreadTtlTable['strategy'];
}

export interface DueThread extends Pick<ThreadRow, 'thread_id' | 'user_id' | 'status' | 'updated_at'> {
  ttl: ThreadTtl;
}

/** Part of the unit that makes or changes a thread. It replaces an earlier time to live. */
export async function setTtl(
  trx: Trx,
  threadId: string,
  { ttl: { seconds, strategy }, at }: { ttl: ThreadTtl; at: string },
): Promise<void> {
  const row = { strategy, ttl_seconds: seconds, look_at: laterBy(seconds, at) };
  await trx
    .insertInto('thread_ttls')
    .values({ thread_id: threadId, ...row })
    .onConflict((conflict) => conflict.column('thread_id').doUpdateSet(row))
    .execute();
}

/** The threads that have a time to live, and the time at which to look at each of them. */
export class ThreadTtlStore {
  readonly #database: Pick<Database<ConversationTables>, 'read' | 'write'>;

  constructor(database: Pick<Database<ConversationTables>, 'read' | 'write'>) {
    this.#database = database;
  }

  /** The threads to look at now, those that wait longest first. */
  async due(at: string, limit: number): Promise<DueThread[]> {
    const rows = await this.#database.read
      .selectFrom('thread_ttls')
      .innerJoin('threads', 'threads.thread_id', 'thread_ttls.thread_id')
      .select(['threads.thread_id', 'threads.user_id', 'threads.status', 'threads.updated_at'])
      .select(['thread_ttls.strategy', 'thread_ttls.ttl_seconds'])
      .where('thread_ttls.look_at', '<=', at)
      .orderBy('thread_ttls.look_at')
      .limit(limit)
      .execute();
    return rows.map(({ strategy, ttl_seconds, ...thread }) => ({
      ...thread,
      ttl: { strategy, seconds: Number(ttl_seconds) },
    }));
  }

  /** The sweep looks again when the time to live has passed since `from`. */
  async postpone({ thread_id, ttl }: DueThread, from: string): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .updateTable('thread_ttls')
        .set({ look_at: laterBy(ttl.seconds, from) })
        .where('thread_id', '=', thread_id)
        // A new time to live has been planned already.
        .where('ttl_seconds', '=', ttl.seconds)
        .execute(),
    );
  }
}

/**
 * Part of the unit that ends a thread: whether its time has passed by what is stored now. It locks the thread's row, so that
 * nothing happens in the thread before the unit has ended.
 */
export async function isStillDue(trx: Trx, { thread_id }: DueThread, at: string): Promise<boolean> {
  const thread = await trx
    .updateTable('threads')
    .set((update) => ({ status: update.ref('status') }))
    .where('thread_id', '=', thread_id)
    .returning(['status', 'updated_at'])
    .executeTakeFirst();
  const ttl = await trx
    .selectFrom('thread_ttls')
    .select('ttl_seconds')
    .where('thread_id', '=', thread_id)
    .executeTakeFirst();
  if (!thread || !ttl || thread.status === 'busy') return false;
  return laterBy(Number(ttl.ttl_seconds), thread.updated_at) <= at;
}

export function laterBy(seconds: number, at: string): string {
  return toIso(Date.parse(at) + seconds * secondMs);
}
