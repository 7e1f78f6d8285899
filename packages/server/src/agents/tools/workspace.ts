import type { Readable } from 'node:stream';

/**
 * The calls by which agents' tools use the files of a thread; `conversation/workspace` implements it. Paths are
 * virtual, such as `/mnt/user-data/outputs/report.md`: tools and models never see paths on the disk. A refusal is an
 * `AppError` whose message may be shown to the model.
 */
export interface Workspace {
  /** Reads at most `maxBytes` from the beginning of a file. */
  read(whose: WorkspaceKey, path: string, maxBytes: number): Promise<{ bytes: Buffer; sizeBytes: number }>;
  /** Opens a whole file of any size. Reading it to its end, or destroying it, closes the file. */
  openStream(whose: WorkspaceKey, path: string): Promise<Readable>;
  /** Replaces the whole content and makes missing folders. Readers never see a half-written file. */
  write(whose: WorkspaceKey, path: string, content: Uint8Array): Promise<void>;
  /** Does the same as `write` for content that need not fit into memory. The source is destroyed in any case. */
  writeFrom(whose: WorkspaceKey, path: string, content: StreamedContent): Promise<void>;
  /**
   * Writes what `change` makes of the present content, which is null when there is no file. No other write happens in between, so
   * two changes at the same time are both kept. Throws `file_too_large` for a file of more than `maxBytes`.
   */
  edit(whose: WorkspaceKey, path: string, edit: FileEdit): Promise<void>;
  /** Returns the entries of a folder by name, without those of its subfolders. Links are left out. */
  list(whose: WorkspaceKey, path: string): Promise<WorkspaceEntry[]>;
}

export interface FileEdit {
  maxBytes: number;
  /** An error that it throws is passed on, and the file stays as it is. */
  change: (present: Buffer | null) => Uint8Array;
}

/** A file tree that agents can read beside the files of their thread: all paths at or below `prefix`, such as `/mnt/skills`. */
export interface FileMount {
  prefix: string;
  /** Gets whole virtual paths, prefix included, and returns and throws as a `Workspace` does. */
  files: Pick<Workspace, 'read' | 'list'>;
}

export interface StreamedContent {
  source: Readable;
  /** A larger content throws `file_too_large` and leaves the existing file as it is. */
  maxBytes: number;
}

export interface WorkspaceKey {
  /** Null without accounts: files are then in the older layout. */
  userId: string | null;
  threadId: string;
  /** The run whose tool writes; absent when no run does. */
  runId?: string | undefined;
}

export interface WorkspaceEntry {
  name: string;
  kind: 'file' | 'folder';
  /** Set for files. */
  sizeBytes: number;
  modifiedMs: number;
}
