/**
 * What agents' tools need of the files of a thread; `conversation/workspace` stands behind it. Paths are virtual ones,
 * `/mnt/user-data/outputs/report.md`: where files lie on the disk, no tool and no model ever learns. What cannot be done
 * is an `AppError` whose sentence may be shown to the model.
 */
export interface Workspace {
  /** At most `maxBytes` from the beginning of a file. */
  read(whose: WorkspaceKey, path: string, maxBytes: number): Promise<{ bytes: Buffer; sizeBytes: number }>;
  /** A whole new content; folders on the way are made. Never seen half written. */
  write(whose: WorkspaceKey, path: string, content: Uint8Array): Promise<void>;
  /** What a folder holds, by name, without what is below its folders. */
  list(whose: WorkspaceKey, path: string): Promise<WorkspaceEntry[]>;
}

export interface WorkspaceKey {
  /** Null without accounts: files then lie in the older layout. */
  userId: string | null;
  threadId: string;
}

export interface WorkspaceEntry {
  name: string;
  kind: 'file' | 'folder';
  /** Of a file. */
  sizeBytes: number;
  modifiedMs: number;
}
