import { mountRules } from '../conversation/mount-rules.ts';
import type { ThreadRow } from '../conversation/tables.ts';
import type { ThreadAccess } from '../conversation/threads/thread-access.ts';
import type { Threads } from '../conversation/threads/threads.ts';
import { AppError } from '../lib/app-error.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import { newTimeOrderedId } from '../lib/ids.ts';
import type { Owner } from '../lib/owner.ts';
import type { ChannelStore } from './channel-store.ts';
import type { ChannelMessageRow, ChannelThreadRow } from './tables.ts';

interface RequestedThread {
  assistant: string;
  /** The custom agent that is set up in the thread. */
  agentSetup?: string;
}

/** Finds the current thread of a chat, for the user whose messages it holds. */
export class ChatThreads {
  readonly #options;

  constructor(options: {
    store: ChannelStore;
    threads: Pick<Threads, 'create'>;
    access: Pick<ThreadAccess, 'require'>;
    clock: Clock;
  }) {
    this.#options = options;
  }

  /** Returns the chat's thread. A new chat, and a chat whose thread was deleted, get a new one. */
  async of(owner: Owner, row: ChannelMessageRow, requested: RequestedThread): Promise<ChannelThreadRow> {
    // An earlier attempt put its files into this thread, and they belong to this message.
    const placed =
      row.thread_id === null ? undefined : await this.#options.store.thread(owner, row.thread_id);
    return placed ?? (await this.current(owner, row))?.chat ?? this.begin(owner, row, requested);
  }

  /** Returns null when the chat has no thread or its thread was deleted. */
  async current(
    owner: Owner,
    row: ChannelMessageRow,
  ): Promise<{ chat: ChannelThreadRow; thread: ThreadRow } | null> {
    const chat = await this.#options.store.currentThread(keyOf(row));
    const thread = chat && (await this.find(owner, chat.thread_id));
    return thread ? { chat, thread } : null;
  }

  async find(owner: Owner, threadId: string): Promise<ThreadRow | null> {
    try {
      return await this.#options.access.require(owner, threadId, { mustExist: true });
    } catch (error) {
      if (error instanceof AppError && error.code === 'thread_not_found') return null;
      throw error;
    }
  }

  async begin(
    owner: Owner,
    row: ChannelMessageRow,
    { assistant, agentSetup }: RequestedThread,
  ): Promise<ChannelThreadRow> {
    const { store, threads, clock } = this.#options;
    const threadId = newTimeOrderedId(clock());
    const metadata = { channel: row.channel, chat_id: row.chat_id };
    const requested = {
      threadId,
      assistantId: assistant,
      metadata,
      ifExists: 'raise' as const,
      supersteps: [],
    };
    await threads.create(owner, requested, mountRules['/api']);
    return store.beginThread(keyOf(row), {
      threadId,
      agentSetup: agentSetup ?? null,
      at: toIso(clock()),
    });
  }
}

function keyOf({ channel, chat_id, user_id }: ChannelMessageRow) {
  return { channel, chatId: chat_id, userId: user_id };
}
