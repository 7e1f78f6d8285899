import type { Readable } from 'node:stream';

/**
 * What agents' tools need of the files of a thread; `conversation/workspace` stands behind it. Paths are virtual ones,
 * `/mnt/user-data/outputs/report.md`: where files lie on the disk, no tool and no model ever learns. What cannot be done
 * is an `AppError` whose sentence may be shown to the model.
 */
export interface Workspace {
  /** At most `maxBytes` from the beginning of a file. */
  read(whose: WorkspaceKey, path: string, maxBytes: number): Promise<{ bytes: Buffer; sizeBytes: number }>;
  /** A whole file, however large. Reading it to its end, or destroying it, closes the file. */
  openStream(whose: WorkspaceKey, path: string): Promise<Readable>;
  /** A whole new content; folders on the way are made. Never seen half written. */
  write(whose: WorkspaceKey, path: string, content: Uint8Array): Promise<void>;
  /** As `write`, for what need not fit into memory. The source is destroyed in any case. */
  writeFrom(whose: WorkspaceKey, path: string, content: StreamedContent): Promise<void>;
  /**
   * What `change` makes of the present content, null where there is no file. Nobody writes the file in between, so two
   * changes at once are both kept. A file of more than `maxBytes` is `file_too_large`.
   */
  edit(whose: WorkspaceKey, path: string, edit: FileEdit): Promise<void>;
  /** What a folder holds, by name, without what is below its folders. Links are left out. */
  list(whose: WorkspaceKey, path: string): Promise<WorkspaceEntry[]>;
}

export interface FileEdit {
  maxBytes: number;
  /** What it throws is thrown, and the file stays as it is. */
  change: (present: Buffer | null) => Uint8Array;
}

/** A tree that agents read beside the files of their thread: all paths at or below `prefix`, as `/mnt/skills`. */
export interface FileMount {
  prefix: string;
  /** Given whole virtual paths, prefix included; answers and throws as a `Workspace` does. */
  files: Pick<Workspace, 'read' | 'list'>;
}

export interface StreamedContent {
  source: Readable;
  /** More is `file_too_large`, and leaves what was there as it is. */
  maxBytes: number;
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
