import type { FileLineage, LineageFile } from '@switchyard/contract/dispatch/lineage';
import type { FileRow } from '../files/stored-file-store.ts';
import type { TaskSourceTable } from '../tables.ts';

type Edge = FileLineage['edges'][number];

/** More would be no help on a screen; the answer says when it is cut. */
const maxNodes = 1_000;

/** What a walk has found: each node once, at the level where it was found first. */
export class LineageTree {
  readonly files = new Map<string, { row: FileRow | TaskSourceTable; level: number }>();
  readonly taskLevels = new Map<string, number>();
  readonly #edges = new Map<string, Edge>();
  cut: FileLineage['cut'] = null;

  get edges(): Edge[] {
    return [...this.#edges.values()];
  }

  /** How many rows a question may return, so that one too many shows that there are more. */
  get room(): number {
    return maxNodes - this.files.size - this.taskLevels.size + 1;
  }

  /** A question that returned as many rows as it might has more of them. */
  noteRows(count: number, limit: number): void {
    if (count >= limit) this.cut = 'nodes';
  }

  /** Returns true when the file is new. A file without room is left out. */
  addFile(row: FileRow | TaskSourceTable, level: number): boolean {
    if (this.files.has(idOf(row)) || !this.#hasRoom()) return false;
    this.files.set(idOf(row), { row, level });
    return true;
  }

  addTask(taskId: string, level: number): boolean {
    if (this.taskLevels.has(taskId) || !this.#hasRoom()) return false;
    this.taskLevels.set(taskId, level);
    return true;
  }

  /** An edge to a node that found no room is left out. */
  connect(from: string, to: string): void {
    if (this.#has(from) && this.#has(to)) this.#edges.set(`${from} ${to}`, { from, to });
  }

  #has(id: string): boolean {
    return this.files.has(id) || this.taskLevels.has(id);
  }

  #hasRoom(): boolean {
    if (this.room > 1) return true;
    this.cut = 'nodes';
    return false;
  }
}

/** A file that was deleted is known by its content alone. */
export function idOf(row: FileRow | TaskSourceTable): string {
  return 'id' in row ? row.id : `sha256:${row.sha256}`;
}

export function viewLineageFile(
  { row, level }: { row: FileRow | TaskSourceTable; level: number },
  linkTo: (file: { fileId: string; filename: string }) => string,
): LineageFile {
  const { filename, sha256 } = row;
  if (!('id' in row)) {
    const gone = { fileId: null, url: null, size: null, contentType: null, source: null, createdAt: null };
    return { id: idOf(row), filename, sha256, ...gone, level };
  }
  const { id, size, contentType, source, createdAt } = row;
  const url = linkTo({ fileId: id, filename });
  return { id, fileId: id, filename, sha256, url, size, contentType, source, createdAt, level };
}
