import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ThreadRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';

/** Rules 1 and 4: one's own and shared records; somebody else's never. */
export function isVisibleTo(owner: Owner, { user_id }: Pick<ThreadRow, 'user_id'>): boolean {
  const userId = userScope(owner);
  return userId === null || user_id === null || user_id === userId;
}

/** The same sentence for a thread that never was, one that was deleted and one of somebody else. */
export function threadNotFound(threadId: string): AppError {
  return new AppError('thread_not_found', { message: `Thread ${threadId} not found` });
}

/** The title that a state gives its thread, cut to what a list shows. */
export function titleOf({ title }: Record<string, unknown>): string | undefined {
  if (typeof title !== 'string' || title.trim() === '') return undefined;
  return [...title].slice(0, 256).join('');
}
