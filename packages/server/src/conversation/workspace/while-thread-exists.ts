import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { userScope } from '../user-scope.ts';
import type { ThreadFolders } from './thread-folders.ts';

/**
 * Runs work that writes files of a thread. When the thread was deleted meanwhile, the files are removed again and the answer is
 * `thread_not_found`: either the deletion sees the files or the writer sees the deletion.
 */
export async function whileThreadExists<Value>(
  {
    access,
    folders,
  }: {
    access: Pick<ThreadAccess, 'require'>;
    folders: Pick<ThreadFolders, 'remove'>;
  },
  { owner, threadId }: { owner: Owner; threadId: string },
  write: () => Promise<Value>,
): Promise<Value> {
  try {
    return await write();
  } finally {
    try {
      await access.require(owner, threadId, { mustExist: true });
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'thread_not_found';
      if (isGone) await folders.remove({ userId: userScope(owner), threadId });
      // biome-ignore lint/correctness/noUnsafeFinally: a deleted thread is the cause of every other failure
      throw error;
    }
  }
}
