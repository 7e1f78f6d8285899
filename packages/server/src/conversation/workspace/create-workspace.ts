import type { Routes } from '../../http/app.ts';
import { toIso } from '../../lib/clock.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadStore } from '../threads/thread-store.ts';
import { artifactRoutes } from './artifact-routes.ts';
import { Artifacts } from './artifacts.ts';
import { type CopyOfFolders, copyOfFolders } from './copy-folders.ts';
import type { UploadLimits } from './receive-uploads.ts';
import { ThreadFolders } from './thread-folders.ts';
import { uploadRoutes } from './upload-routes.ts';
import { Uploads } from './uploads.ts';
import { WorkspaceFiles } from './workspace-files.ts';

/** The files of threads. */
export interface WorkspaceRoom {
  folders: ThreadFolders;
  files: WorkspaceFiles;
  uploads: Uploads;
  artifacts: Artifacts;
  copyFolders: CopyOfFolders;
  routes: Routes[];
}

export function createWorkspace({
  home,
  diskReserveBytes,
  limits,
  access,
  threadStore,
  clock,
}: Pick<ConversationParts, 'home' | 'clock'> & {
  /** Disk space that is left free. */
  diskReserveBytes: number;
  limits: UploadLimits;
  access: ThreadAccess;
  threadStore: Pick<ThreadStore, 'create'>;
}): WorkspaceRoom {
  const folders = new ThreadFolders({ home, reserveBytes: diskReserveBytes, disk: nodeDisk });
  const files = new WorkspaceFiles(folders, clock);
  const uploads = new Uploads({
    folders,
    files,
    access,
    makeThread: async (owner, threadId) => {
      await threadStore.create(owner, { threadId, at: toIso(clock()) });
    },
    limits,
    clock,
  });
  const artifacts = new Artifacts({ folders, files, access });
  return {
    folders,
    files,
    uploads,
    artifacts,
    copyFolders: copyOfFolders(folders, access),
    routes: [uploadRoutes({ uploads }), artifactRoutes({ artifacts })],
  };
}
