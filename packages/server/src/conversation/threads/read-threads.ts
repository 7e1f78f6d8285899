import type { ReadMark, UnreadThread } from '@switchyard/contract/conversation/read-threads';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { TellOwner } from '../thread-news.ts';
import { threadNotFound } from './thread.ts';
import type { ThreadAccess } from './thread-access.ts';
import type { UnreadPosition, UnreadThreadStore } from './unread-thread-store.ts';

/** Counting more would say no more to a person. */
const maxCount = 1_000;

/** The threads that a user has read. Every open page of the user gets each change. */
export class ReadThreads {
  readonly #options;

  constructor(options: {
    store: UnreadThreadStore;
    access: Pick<ThreadAccess, 'require'>;
    tell: TellOwner;
  }) {
    this.#options = options;
  }

  async markRead(owner: Owner, threadId: string, seen: string | null): Promise<ReadMark> {
    const { access, store } = this.#options;
    await access.require(owner, threadId, { mustExist: true });
    // The stored times have this form, so that text compares as time does.
    const normal = seen === null ? null : new Date(seen).toISOString();
    return this.#told(owner, threadId, await store.markRead(owner, threadId, normal));
  }

  async markUnread(owner: Owner, threadId: string): Promise<ReadMark> {
    const { access, store } = this.#options;
    await access.require(owner, threadId, { mustExist: true });
    return this.#told(owner, threadId, await store.markUnread(owner, threadId));
  }

  async list(
    userId: string,
    { limit, cursor }: { limit: number; cursor: string | undefined },
  ): Promise<{ total: number; threads: UnreadThread[]; next_cursor: string | null }> {
    const { store } = this.#options;
    const after = cursor === undefined ? null : positionOf(cursor);
    const { rows, total } = await store.list(userId, { after, limit: limit + 1, maxCount });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      total,
      threads: page.map(({ thread_id, display_name, run_ended_at }) => ({
        thread_id,
        title: display_name,
        run_ended_at,
      })),
      next_cursor:
        rows.length > limit && last
          ? cursorOf({ runEndedAt: last.run_ended_at ?? '', threadId: last.thread_id })
          : null,
    };
  }

  #told(owner: Owner, threadId: string, mark: ReadMark | undefined): ReadMark {
    if (!mark) throw threadNotFound(threadId);
    const data = { threadId, unread: mark.unread, runEndedAt: mark.run_ended_at };
    if ('user' in owner) this.#options.tell(owner.user, { type: 'thread_unread', data });
    return mark;
  }
}

function cursorOf({ runEndedAt, threadId }: UnreadPosition): string {
  return Buffer.from(`${runEndedAt} ${threadId}`).toString('base64url');
}

function positionOf(cursor: string): UnreadPosition {
  const [, runEndedAt, threadId] =
    /^([0-9TZ:.-]{0,30}) ([\w-]{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (runEndedAt === undefined || threadId === undefined)
    throw new AppError('validation_failed', { message: 'cursor: pass the next_cursor of the page before.' });
  return { runEndedAt, threadId };
}
