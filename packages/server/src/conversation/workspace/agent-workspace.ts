import type { Workspace, WorkspaceKey } from '../../agents/tools/workspace.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadFolders } from './thread-folders.ts';
import { whileThreadExists } from './while-thread-exists.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

/**
 * The files of threads as agents' tools reach them. A tool may still be writing when its run was stopped and its thread deleted;
 * the files that it leaves are then removed again.
 */
export function agentWorkspace(options: {
  files: WorkspaceFiles;
  folders: ThreadFolders;
  access: Pick<ThreadAccess, 'require'>;
  /** Sees each file before it is written. */
  follower: { beforeWrite: (whose: WorkspaceKey, path: string) => Promise<void> };
}): Workspace {
  const { files, follower } = options;
  const guarded = async (whose: WorkspaceKey, path: string, write: () => Promise<void>): Promise<void> => {
    const { userId, threadId } = whose;
    await follower.beforeWrite(whose, path);
    if (userId === null) return write();
    return whileThreadExists(options, { owner: { user: userId }, threadId }, write);
  };
  return {
    read: (whose, path, maxBytes) => files.read(whose, path, maxBytes),
    openStream: (whose, path) => files.openStream(whose, path),
    list: (whose, path) => files.list(whose, path),
    write: (whose, path, content) => guarded(whose, path, () => files.write(whose, path, content)),
    writeFrom: (whose, path, content) => guarded(whose, path, () => files.writeFrom(whose, path, content)),
    edit: (whose, path, edit) => guarded(whose, path, () => files.edit(whose, path, edit)),
  };
}
