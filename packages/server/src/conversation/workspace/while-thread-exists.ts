import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { userScope } from '../user-scope.ts';
import type { ThreadFolders } from './thread-folders.ts';

interface ThreadNeed {
  access: Pick<ThreadAccess, 'require'>;
  folders: Pick<ThreadFolders, 'remove'>;
}

/**
 * Runs what writes files of a thread. When the thread was deleted meanwhile, whatever was written is removed again and the
 * answer is `thread_not_found`: who deletes it and who writes cannot both have missed the other.
 */
export async function whileThreadExists<Value>(
  { access, folders }: ThreadNeed,
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
      // biome-ignore lint/correctness/noUnsafeFinally: a thread that is gone is the reason of every other failure
      throw error;
    }
  }
}
