import { ThreadFolders } from '../src/conversation/workspace/thread-folders.ts';
import { WorkspaceFiles } from '../src/conversation/workspace/workspace-files.ts';
import { type Disk, nodeDisk } from '../src/platform/files/disk.ts';

/** The files of threads in a data home, as the tools of agents reach them. */
export function threadWorkspace(
  home: string,
  { reserveBytes = 0, disk = nodeDisk }: { reserveBytes?: number; disk?: Disk } = {},
): WorkspaceFiles {
  return new WorkspaceFiles(new ThreadFolders({ home, reserveBytes, disk }));
}
