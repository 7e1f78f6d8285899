import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ThreadRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';

/** Rules 1 and 4: users see their own records and shared ones, and never those of other users. */
export function isVisibleTo(owner: Owner, { user_id }: Pick<ThreadRow, 'user_id'>): boolean {
  const userId = userScope(owner);
  return userId === null || user_id === null || user_id === userId;
}

/** The same sentence for a thread that never existed, a deleted one and one of another user. */
export function threadNotFound(threadId: string): AppError {
  return new AppError('thread_not_found', { message: `Thread ${threadId} not found` });
}

/** The title that a state gives its thread, cut to what a list shows. */
export function titleOf({ title }: Record<string, unknown>): string | undefined {
  if (typeof title !== 'string' || title.trim() === '') return undefined;
  return [...title].slice(0, 256).join('');
}
