import type {
  FileLineage,
  LineageDirection,
  LineageFile,
  LineageTask,
} from '@switchyard/contract/dispatch/lineage';
import { AppError } from '../../lib/app-error.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import type { FileRow, StoredFileStore } from '../files/stored-file-store.ts';
import type { Links, Reader } from '../links.ts';
import type { TaskSourceTable } from '../tables.ts';
import type { LineageStore } from './lineage-store.ts';

/** A screen has no use for more nodes; the answer shows when it is cut. */
const maxNodes = 1_000;

/** From an upload to the last picture, both ways. Each generation costs a fixed number of questions. */
export class Lineage {
  readonly #options;

  constructor(options: {
    together: ReadTogether<{ files: Pick<StoredFileStore, 'get'>; store: LineageStore }>;
    links: Links;
  }) {
    this.#options = options;
  }

  async of({ owner, origin }: Reader, fileId: string, range: LineageRange): Promise<FileLineage> {
    const { tree, tasks } = await this.#options.together(async ({ files, store }) => {
      const file = await files.get(owner, fileId);
      if (!file) throw new AppError('file_not_found');
      const walked = await new LineageWalk(store).from(file, range);
      return { tree: walked, tasks: await store.tasks([...walked.taskLevels.keys()]) };
    });
    return {
      fileId,
      ...range,
      files: [...tree.files.values()].map((found) =>
        viewLineageFile(found, (to) => this.#options.links.to(to, origin)),
      ),
      tasks: tasks.map((task): LineageTask => ({ ...task, level: tree.taskLevels.get(task.id) ?? 0 })),
      edges: tree.edges,
      cut: tree.cut,
    };
  }
}

interface LineageRange {
  direction: LineageDirection;
  depth: number;
}

/** Walks from a file through the tasks that made or used it, a generation at a time. */
class LineageWalk {
  readonly #store: LineageStore;

  constructor(store: LineageStore) {
    this.#store = store;
  }

  async from(file: FileRow, { direction, depth }: LineageRange): Promise<LineageTree> {
    const tree = new LineageTree();
    tree.addFile(file, 0);
    const hasMore = [
      direction !== 'down' && (await this.#walk(tree, file, { depth, step: this.#up })),
      direction !== 'up' && (await this.#walk(tree, file, { depth, step: this.#down })),
    ].includes(true);
    if (hasMore) tree.cut ??= 'depth';
    return tree;
  }

  /** Returns true when there is more beyond the depth. */
  async #walk(
    tree: LineageTree,
    file: FileRow,
    { depth, step }: { depth: number; step: Step },
  ): Promise<boolean> {
    let frontier = [file];
    for (let level = 1; level <= depth; level += 1) {
      if (frontier.length === 0 || tree.cut) return false;
      frontier = await step(tree, frontier, { owner: file.owner, level });
    }
    if (frontier.length === 0 || tree.cut) return false;
    // One more step on a tree of its own shows whether anything follows.
    const beyond = new LineageTree();
    for (const row of frontier) beyond.addFile(row, 0);
    const { size } = beyond.files;
    await step(beyond, frontier, { owner: file.owner, level: 1 });
    return beyond.files.size > size || beyond.taskLevels.size > 0;
  }

  readonly #up: Step = async (tree, frontier, { owner, level }) => {
    const store = this.#store;
    const made = frontier.filter(({ taskId }) => taskId !== null);
    for (const { id, taskId } of made) {
      if (taskId === null) continue;
      tree.addTask(taskId, -level);
      tree.connect(taskId, id);
    }
    const taskIds = [...new Set(made.flatMap(({ taskId }) => taskId ?? []))];
    const { room } = tree;
    const sources = taskIds.length > 0 ? await store.sourcesOf(taskIds, room) : [];
    tree.noteRows(sources.length, room);
    const present = await this.#presentFiles(owner, sources);
    const next: FileRow[] = [];
    for (const source of sources) {
      const row = present.get(source.fileId) ?? source;
      if (tree.addFile(row, -level) && 'id' in row) next.push(row);
      tree.connect(idOf(row), source.taskId);
    }
    return [...next, ...(await this.#originsOf(tree, frontier, { owner, level }))];
  };

  /** An upload may be an output that came back. */
  async #originsOf(tree: LineageTree, frontier: FileRow[], { owner, level }: Place): Promise<FileRow[]> {
    const uploads = frontier.filter(({ source }) => source === 'upload');
    if (uploads.length === 0) return [];
    const contents = [...new Set(uploads.map(({ sha256 }) => sha256))];
    const outputs = await this.#store.firstOutputsWith(owner, contents);
    const byContent = new Map(outputs.map((row) => [row.sha256, row]));
    return uploads.flatMap((upload) => {
      const output = byContent.get(upload.sha256);
      if (!output || output.createdAt > upload.createdAt) return [];
      const isNew = tree.addFile(output, -level);
      tree.connect(output.id, upload.id);
      return isNew ? [output] : [];
    });
  }

  readonly #down: Step = async (tree, frontier, { owner, level }) => {
    const store = this.#store;
    const contents = [...new Set(frontier.map(({ sha256 }) => sha256))];
    const { room } = tree;
    const uses = await store.usesOf(owner, contents, room);
    tree.noteRows(uses.length, room);
    const taskIds = new Set<string>();
    for (const { taskId, sha256 } of uses) {
      if (tree.addTask(taskId, level)) taskIds.add(taskId);
      for (const row of frontier) if (row.sha256 === sha256) tree.connect(row.id, taskId);
    }
    if (taskIds.size === 0) return [];
    const left = tree.room;
    const outputs = await store.outputsOf({ user: owner }, [...taskIds], left);
    tree.noteRows(outputs.length, left);
    const next = outputs.filter((row) => tree.addFile(row, level));
    for (const { id, taskId } of outputs) if (taskId !== null) tree.connect(taskId, id);
    return next;
  };

  /** By the id of the file that the task was given: that file, or the newest with its content. */
  async #presentFiles(owner: string, sources: TaskSourceTable[]): Promise<Map<string, FileRow>> {
    if (sources.length === 0) return new Map();
    const store = this.#store;
    const fileIds = [...new Set(sources.map(({ fileId }) => fileId))];
    const found = new Map((await store.files({ user: owner }, fileIds)).map((row) => [row.id, row]));
    const missing = sources.filter(({ fileId }) => !found.has(fileId));
    if (missing.length === 0) return found;
    const contents = [...new Set(missing.map(({ sha256 }) => sha256))];
    const others = new Map((await store.newestWith(owner, contents)).map((row) => [row.sha256, row]));
    for (const { fileId, sha256 } of missing) {
      const other = others.get(sha256);
      if (other) found.set(fileId, other);
    }
    return found;
  }
}

interface Place {
  owner: string;
  level: number;
}

/** Adds one generation to the tree and returns the files that are new in it. */
type Step = (tree: LineageTree, frontier: FileRow[], place: Place) => Promise<FileRow[]>;

type Edge = FileLineage['edges'][number];

/** Holds what a walk has found: each node once, at the level where it was found first. */
class LineageTree {
  readonly files = new Map<string, { row: FileRow | TaskSourceTable; level: number }>();
  readonly taskLevels = new Map<string, number>();
  readonly #edges = new Map<string, Edge>();
  cut: FileLineage['cut'] = null;

  get edges(): Edge[] {
    return [...this.#edges.values()];
  }

  /** The number of rows that a question may return: one too many shows that there are more. */
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
function idOf(row: FileRow | TaskSourceTable): string {
  return 'id' in row ? row.id : `sha256:${row.sha256}`;
}

function viewLineageFile(
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
