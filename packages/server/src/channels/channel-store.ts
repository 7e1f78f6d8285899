import type { Insertable, Updateable } from 'kysely';
import type { Owner } from '../lib/owner.ts';
import { requireOwner } from '../lib/owner.ts';
import { dayMs } from '../lib/time-units.ts';
import type { Database, WriteTransaction } from '../platform/database/database.ts';
import type { ChannelMessageRow, ChannelMessageTable, ChannelTables, ChannelThreadRow } from './tables.ts';

type Trx = WriteTransaction<ChannelTables>;

export type NewChannelMessage = Omit<Insertable<ChannelMessageTable>, 'admission'>;

/** Identifies a chat and the user whose thread it has there. */
export interface ChatKey {
  channel: string;
  chatId: string;
  userId: string;
}

export type Acceptance = 'accepted' | 'duplicate' | 'chat_full' | 'channel_full';

/** A repeated message is recognised for this long. A message that was not answered for this long is given up. */
export const keepMessagesMs = 7 * dayMs;

/**
 * Stores messages of channels and the threads of their chats. The channels call it after they have found the user of a message,
 * so every row names its user.
 */
export class ChannelStore {
  readonly #database: Database<ChannelTables>;

  constructor(database: Database<ChannelTables>) {
    this.#database = database;
  }

  /** Stores a message once, however often it is delivered. `alongside` runs in the same unit. */
  async accept(
    owner: Owner,
    message: NewChannelMessage,
    {
      limits,
      alongside,
    }: { limits: { ofChat: number; ofChannel: number }; alongside: (trx: Trx) => Promise<void> },
  ): Promise<Acceptance> {
    requireOwner(owner);
    const { channel, message_id, chat_id } = message;
    return this.#database.write(async (trx) => {
      const known = await trx
        .selectFrom('channel_messages')
        .select('id')
        .where('channel', '=', channel)
        .where('message_id', '=', message_id)
        .executeTakeFirst();
      if (known) return 'duplicate';
      const open = await countOpen(trx, channel);
      if (open.all >= limits.ofChannel) return 'channel_full';
      if ((open.chats.get(chat_id) ?? 0) >= limits.ofChat) return 'chat_full';
      const last = await trx
        .selectFrom('channel_messages')
        .select((select) => select.fn.max('admission').as('admission'))
        .where('channel', '=', channel)
        .where('chat_id', '=', chat_id)
        .executeTakeFirst();
      const inserted = await trx
        .insertInto('channel_messages')
        .values({ ...message, admission: Number(last?.admission ?? 0) + 1 })
        .onConflict((conflict) => conflict.columns(['channel', 'message_id']).doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows !== 1n) return 'duplicate';
      await alongside(trx);
      return 'accepted';
    });
  }

  /** Returns the messages of a chat that no job has started on, in their order. */
  async accepted(channel: string, chatId: string, limit: number): Promise<ChannelMessageRow[]> {
    return this.#database.read
      .selectFrom('channel_messages')
      .selectAll()
      .where('channel', '=', channel)
      .where('chat_id', '=', chatId)
      .where('closed_at', 'is', null)
      .where('status', '=', 'accepted')
      .orderBy('admission')
      .limit(limit)
      .execute();
  }

  /** Returns unanswered messages that were not changed since `before`, the oldest first. */
  async open({ before, limit }: { before: string; limit: number }): Promise<ChannelMessageRow[]> {
    return this.#database.read
      .selectFrom('channel_messages')
      .selectAll()
      .where('closed_at', 'is', null)
      .where('updated_at', '<=', before)
      .orderBy('created_at')
      .limit(limit)
      .execute();
  }

  async waiting(channel: string): Promise<number> {
    return (await countOpen(this.#database.read, channel)).all;
  }

  async find(id: string): Promise<ChannelMessageRow | undefined> {
    return this.#database.read
      .selectFrom('channel_messages')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
  }

  async ofRun(runId: string): Promise<ChannelMessageRow | undefined> {
    return this.#database.read
      .selectFrom('channel_messages')
      .selectAll()
      .where('run_id', '=', runId)
      .executeTakeFirst();
  }

  /** Returns false when the message was closed meanwhile. `alongside` runs in the same unit. */
  async change(
    id: string,
    columns: Updateable<ChannelMessageTable>,
    alongside?: (trx: Trx) => Promise<void>,
  ): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('channel_messages')
        .set(columns)
        .where('id', '=', id)
        .where('closed_at', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await alongside?.(trx);
      return true;
    });
  }

  /** Removes the content of a message; only the fact that it came stays. */
  async close(
    id: string,
    { status, error, at }: { status: 'done' | 'failed' | 'dropped'; error: string | null; at: string },
  ): Promise<void> {
    await this.change(id, { ...closedAs(status, at), error });
  }

  async currentThread({ channel, chatId, userId }: ChatKey): Promise<ChannelThreadRow | undefined> {
    return this.#database.read
      .selectFrom('channel_threads')
      .selectAll()
      .where('channel', '=', channel)
      .where('chat_id', '=', chatId)
      .where('user_id', '=', userId)
      .where('is_current', '=', 1)
      .executeTakeFirst();
  }

  async thread(owner: Owner, threadId: string): Promise<ChannelThreadRow | undefined> {
    requireOwner(owner);
    return this.#database.read
      .selectFrom('channel_threads')
      .selectAll()
      .where('thread_id', '=', threadId)
      .executeTakeFirst();
  }

  /** Makes this thread the current one of the chat. */
  async beginThread(
    { channel, chatId, userId }: ChatKey,
    thread: { threadId: string; agentSetup: string | null; at: string },
  ): Promise<ChannelThreadRow> {
    return this.#database.write(async (trx) => {
      await trx
        .updateTable('channel_threads')
        .set({ is_current: null })
        .where('channel', '=', channel)
        .where('chat_id', '=', chatId)
        .where('user_id', '=', userId)
        .where('is_current', '=', 1)
        .execute();
      return trx
        .insertInto('channel_threads')
        .values({
          thread_id: thread.threadId,
          channel,
          chat_id: chatId,
          user_id: userId,
          is_current: 1,
          artifacts_sent: '[]',
          questions: null,
          agent_setup: thread.agentSetup,
          created_at: thread.at,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    });
  }

  async noteThread(
    threadId: string,
    columns: { artifacts_sent?: string; questions?: string | null },
  ): Promise<void> {
    if (Object.keys(columns).length === 0) return;
    await this.#database.write((trx) =>
      trx.updateTable('channel_threads').set(columns).where('thread_id', '=', threadId).execute(),
    );
  }

  /** Forgets messages that were closed before this time. A later repetition of them counts as new. */
  async forgetClosedBefore(at: string): Promise<void> {
    await this.#database.write((trx) =>
      trx.deleteFrom('channel_messages').where('closed_at', '<', at).execute(),
    );
  }
}

/** Runs inside the unit that deletes a thread: no answer follows, and none of its words stay. */
export async function forgetChannelThread(
  trx: Trx,
  { threadId, at }: { threadId: string; at: string },
): Promise<void> {
  await trx.deleteFrom('channel_threads').where('thread_id', '=', threadId).execute();
  await trx
    .updateTable('channel_messages')
    .set(closedAs('dropped', at))
    .where('thread_id', '=', threadId)
    .where('closed_at', 'is', null)
    .execute();
  await trx
    .updateTable('channel_messages')
    .set({ thread_id: null, run_id: null })
    .where('thread_id', '=', threadId)
    .execute();
}

/** Runs inside the unit that removes a user's data. */
export async function forgetChannelsOfUser(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('channel_threads').where('user_id', '=', userId).execute();
  await trx.deleteFrom('channel_messages').where('user_id', '=', userId).execute();
}

function closedAs(status: 'done' | 'failed' | 'dropped', at: string): Updateable<ChannelMessageTable> {
  return { status, text: '', files: '[]', reply: null, updated_at: at, closed_at: at };
}

async function countOpen(
  db: Pick<Trx, 'selectFrom'>,
  channel: string,
): Promise<{ all: number; chats: Map<string, number> }> {
  const rows = await db
    .selectFrom('channel_messages')
    .select(['chat_id', (select) => select.fn.countAll<number>().as('count')])
    .where('channel', '=', channel)
    .where('closed_at', 'is', null)
    .groupBy('chat_id')
    .execute();
  const chats = new Map(rows.map(({ chat_id, count }) => [chat_id, Number(count)]));
  return { all: [...chats.values()].reduce((sum, count) => sum + count, 0), chats };
}
