import { Readable } from 'node:stream';
import {
  type FileFilterQuery,
  type FileList,
  type FileListQuery,
  type FileMarks,
  type FileSource,
  type MarkedFile,
  maxZippedFiles,
  type NewStoredFile,
  type StoredFile,
} from '@switchyard/contract/dispatch/file';
import { pushLimits } from '@switchyard/contract/dispatch/push';
import type { IHasher } from 'hash-wasm';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { newSecret } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { AuditPart } from '../../platform/audit/audit.ts';
import type { BlobStore, LinkedAs, OpenedContent, StoredContent } from '../../platform/files/blob-store.ts';
import { contentTypeOf } from '../../platform/files/content-type.ts';
import { safeDisplayName } from '../../platform/files/display-name.ts';
import { pictureSizeOf } from '../../platform/pictures/picture-size.ts';
import { planStripping, strippedBytes } from '../../platform/pictures/strip-metadata.ts';
import type { RecordDeps } from '../attempts/attempt-record.ts';
import type { KeptOutput, OutputToKeep } from '../attempts/collect-outputs.ts';
import type { AttemptFiles } from '../attempts/task-attempt.ts';
import type { DispatchEvents } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { Reader } from '../links.ts';
import type { Received, ShareStore } from '../shares/share-store.ts';
import type { FileToPush } from '../worker-client/worker-client.ts';
import { extensionOf } from '../worker-client/worker-file-name.ts';
import { cursorAfter, filterOf, placeIn } from './file-list.ts';
import type { FileListStore } from './file-list-store.ts';
import type { FileModelStore } from './file-model-store.ts';
import type { FileNotes } from './kept-file-store.ts';
import { nameOnWorker } from './own-files.ts';
import { type FilePlace, type FileRow, insertOutputs, type StoredFileStore } from './stored-file-store.ts';

export interface HashedContent extends StoredContent {
  blake3: string;
}

interface HashedFile {
  row: FileRow;
  isKnown: boolean;
}

export interface StrippedContent {
  sizeBytes: number;
  isDamaged: boolean;
  open: () => Promise<Readable>;
}

/** 128 random bits: an id cannot be guessed. */
const idBytes = 16;

interface StoredFilesOptions extends Pick<DispatchParts, 'content' | 'clock' | 'links'> {
  store: StoredFileStore;
  lists: Pick<FileListStore, 'list' | 'page'>;
  models: Pick<FileModelStore, 'added' | 'remember'>;
  events: Pick<DispatchEvents, 'announce'>;
  shares: Pick<ShareStore, 'right' | 'receiversOfFiles'>;
  limits: { uploadBytes: number; outputBytes: number; quotaBytes: number };
  /** Older files are deleted unless something keeps them; null keeps every file for ever. */
  retentionMs: number | null;
}

export class StoredFiles implements AttemptFiles {
  readonly #options;

  constructor(options: StoredFilesOptions) {
    this.#options = options;
  }

  get maxOutputBytes(): number {
    return this.#options.limits.outputBytes;
  }

  /** Streams an upload to disk. It is invisible before `add`; without `add` the sweep deletes it again. */
  receive(source: Readable, signal: AbortSignal): Promise<StoredContent> {
    return this.#options.content.put(source, { maxBytes: this.#options.limits.uploadBytes, signal });
  }

  async add(
    { userId, origin }: { userId: string; origin: string | undefined },
    given: string,
    content: StoredContent,
  ): Promise<NewStoredFile> {
    const { store, limits } = this.#options;
    const row = this.#uploadOf(userId, given, content);
    await store.insertUpload({ user: userId }, row, limits);
    this.#created(row);
    return this.viewNew(row, origin);
  }

  /**
   * For callers inside the gateway: the same content under the same name from the same user is one file and counts
   * once.
   */
  async addOnce(
    userId: string,
    given: string,
    { source, signal }: { source: Readable; signal: AbortSignal },
  ): Promise<{ fileId: string }> {
    const { store, limits } = this.#options;
    const row = this.#uploadOf(userId, given, await this.receive(source, signal));
    const fileId = await store.insertUploadOnce({ user: userId }, row, limits);
    if (fileId === row.id) this.#created(row);
    return { fileId };
  }

  /** Like `receive`, for clients that ask by BLAKE3 whether they have to upload a file at all. */
  async receiveHashed(source: Readable, signal: AbortSignal): Promise<HashedContent> {
    const hash = await newBlake3();
    const content = await this.receive(Readable.from(hashing(source, hash)), signal);
    return { ...content, blake3: hash.digest() };
  }

  /**
   * The same content under the same name is one file, as in `addOnce`. `isKnown`: the user had a file with this content before. The key
   * works once: with a used one it throws `idempotency_mismatch`.
   */
  async addHashed(
    userId: string,
    given: string,
    { content, key }: { content: HashedContent; key: string | null },
  ): Promise<HashedFile> {
    const { store, limits } = this.#options;
    const row = { ...this.#uploadOf(userId, given, content), blake3: content.blake3 };
    const added = await store.insertHashed({ user: userId }, row, { ...limits, key });
    if (added.row === row) this.#created(row);
    return added;
  }

  /** Names content that the user has already. Returns undefined when the user has no file with this hash. */
  async addByHash(userId: string, blake3: string, given: string | null): Promise<HashedFile | undefined> {
    const { store, limits, clock } = this.#options;
    const filename = given === null ? null : safeDisplayName(given);
    const copy = { id: newFileId(), createdAt: toIso(clock()), blake3, filename };
    const added = await store.insertCopy(userId, copy, limits);
    if (added?.isKnown === false) this.#created(added.row);
    return added;
  }

  hasHash(userId: string, blake3: string): Promise<boolean> {
    return this.#options.store.hasBlake3(userId, blake3);
  }

  linkTo({ id: fileId, filename }: FileRow, origin: string | undefined): string {
    return this.#options.links.to({ fileId, filename }, origin);
  }

  /** Called before the bytes arrive: an owner without room gets the error at once. */
  async requireRoom(userId: string): Promise<void> {
    const used = await this.#options.store.usedBytes(userId);
    if (used >= this.#options.limits.quotaBytes) throw new AppError('quota_exceeded');
  }

  /** The user's newest file of this name that was uploaded, or that a task made. */
  newestNamed(owner: string, { filename, source }: { filename: string; source: FileSource }) {
    const { store } = this.#options;
    const name = safeDisplayName(filename);
    return source === 'upload' ? store.newestUpload(owner, name) : store.newestOutput(owner, name);
  }

  async list({ owner, origin }: Reader, query: FileListQuery): Promise<FileList> {
    const { limit = 50, offset = 0, cursor } = query;
    const filter = filterOf(query, this.#options);
    const after = cursor === undefined ? undefined : placeIn(cursor);
    const found = await this.#options.lists.list(owner, { filter, limit: limit + 1, offset, after });
    const { total, isMinimum } = found;
    const rows = found.rows.slice(0, limit);
    const items = rows.map((row) => this.view(row, { notes: found.notes.get(row.id), origin }));
    const last = rows.at(-1);
    const nextCursor = found.rows.length > limit && last ? cursorAfter(last) : null;
    return { total, ...(isMinimum && { totalIsMinimum: true }), items, nextCursor };
  }

  /** A file as lists show it, with what its owner notes about it. */
  view(
    row: FileRow,
    { notes, origin }: { notes: FileNotes | undefined; origin: string | undefined },
  ): StoredFile {
    return { ...this.viewNew(row, origin), ...this.marksOf(row, notes) };
  }

  /** Returns how files of this user are marked now, and announces it. */
  marked(
    owner: string,
    { files, notes }: { files: Pick<FileRow, 'id' | 'createdAt'>[]; notes: Map<string, FileNotes> },
  ): MarkedFile[] {
    const marked = files.map((file) => ({ fileId: file.id, ...this.marksOf(file, notes.get(file.id)) }));
    for (let first = 0; first < marked.length; first += pushLimits.filesPerFrame) {
      const some = marked.slice(first, first + pushLimits.filesPerFrame);
      this.#options.events.announce({ type: 'files_marked', owner, files: some });
    }
    return marked;
  }

  marksOf({ createdAt }: Pick<FileRow, 'createdAt'>, notes: FileNotes | undefined): FileMarks {
    const { retentionMs } = this.#options;
    const { caption = '', tags = [], keptBy = [] } = notes ?? {};
    const expires = retentionMs !== null && keptBy.length === 0;
    const expiresAt = expires ? toIso(Date.parse(createdAt) + retentionMs) : null;
    return { starred: keptBy.includes('starred'), caption, tags, keptBy, expiresAt };
  }

  viewNew(row: FileRow, origin: string | undefined): NewStoredFile {
    return {
      fileId: row.id,
      filename: row.filename,
      url: this.linkTo(row, origin),
      size: row.size,
      contentType: row.contentType,
      sha256: row.sha256,
      source: row.source,
      taskId: row.taskId,
      width: row.width,
      height: row.height,
      createdAt: row.createdAt,
    };
  }

  /** A file as users see it with whom it is shared: the link needs their credentials, and no task is named. */
  viewShared(row: FileRow, origin: string | undefined): NewStoredFile {
    const url = this.#options.links.withoutSignature({ fileId: row.id, filename: row.filename }, origin);
    return { ...this.viewNew(row, origin), url, taskId: null };
  }

  /** The files that fit a filter, the newest first. Throws when they are more than an archive has. */
  async fitting(owner: Owner, query: FileFilterQuery): Promise<FileRow[]> {
    const page = { ...filterOf(query, this.#options), limit: maxZippedFiles + 1, offset: 0 };
    const rows = await this.#options.lists.page(owner, page);
    if (rows.length <= maxZippedFiles) return rows;
    throw new AppError('too_many_files', {
      message: `More than ${maxZippedFiles} files fit. Narrow the filter, for example by since and until.`,
    });
  }

  /** These files in the order of their ids. Throws when one does not exist for this owner. */
  async selected(owner: Owner, fileIds: readonly string[]): Promise<FileRow[]> {
    const own = new Map((await this.#options.store.getMany(owner, fileIds)).map((row) => [row.id, row]));
    const rows: FileRow[] = [];
    for (const id of fileIds) {
      const row = own.get(id) ?? (await this.#sharedWith(owner, id));
      if (!row) throw new AppError('file_not_found', { message: `There is no file ${id}.` });
      rows.push(row);
    }
    return rows;
  }

  /** Opens the content of a row that was read before. */
  async contentOf(row: FileRow): Promise<Readable> {
    const opened = await this.#options.content.open(row.sha256);
    if (!opened) throw new AppError('file_not_found', { message: contentGone(row) });
    return opened.stream;
  }

  /**
   * The content of a row as it is sent without metadata. A damaged picture and a file of another type are sent as they
   * are. The file is read here, and again when it is sent.
   */
  async strippedContentOf(row: FileRow): Promise<StrippedContent> {
    const plan = await planStripping(await this.contentOf(row));
    if (typeof plan === 'string')
      return { sizeBytes: row.size, isDamaged: plan === 'damaged', open: () => this.contentOf(row) };
    const open = async () => Readable.from(strippedBytes(bytesOf(this.#options.content, row), plan));
    return { sizeBytes: plan.sizeBytes, isDamaged: false, open };
  }

  async delete(owner: Owner, fileId: string, recordOf?: (row: FileRow) => AuditPart): Promise<void> {
    const error = (await this.deleteMany(owner, [fileId], recordOf)).get(fileId);
    if (error) throw error;
  }

  /**
   * Deletes those of these files that may be deleted, as many at a time as one message names. Returns why the others stay, by their ids.
   */
  async deleteMany(
    owner: Owner,
    fileIds: readonly string[],
    recordOf?: (row: FileRow) => AuditPart,
  ): Promise<Map<string, AppError>> {
    const errors = new Map<string, AppError>();
    for (let first = 0; first < fileIds.length; first += pushLimits.filesPerFrame) {
      const some = fileIds.slice(first, first + pushLimits.filesPerFrame);
      // The shares go with the files.
      const received = await this.#options.shares.receiversOfFiles(some);
      const { rows, inUse } = await this.#options.store.delete(owner, some, recordOf);
      this.#deleted(rows);
      this.#takenFrom(received, rows);
      for (const id of inUse) errors.set(id, new AppError('file_in_use'));
      const own = new Set([...rows.map(({ id }) => id), ...inUse]);
      for (const id of some.filter((each) => !own.has(each))) {
        const isShared = await this.#sharedWith(owner, id);
        errors.set(id, new AppError(isShared ? 'share_allows_less' : 'file_not_found'));
      }
    }
    return errors;
  }

  /** Gives a user a file of their own with the content of one that they may read. */
  async copy(userId: string, fileId: string): Promise<{ fileId: string }> {
    const { row } = await this.open({ user: userId }, fileId);
    const { store, limits, clock } = this.#options;
    const copy: FileRow = {
      ...row,
      id: newFileId(),
      owner: userId,
      source: 'upload',
      taskId: null,
      workflowId: null,
      createdAt: toIso(clock()),
    };
    const id = await store.insertUploadOnce({ user: userId }, copy, limits);
    if (id === copy.id) this.#created(copy);
    return { fileId: id };
  }

  /** The file of another user, when it is shared with this one. */
  async #sharedWith(owner: Owner, fileId: string): Promise<FileRow | undefined> {
    if (!('user' in owner)) return undefined;
    const { shares, store } = this.#options;
    const right = await shares.right(owner.user, 'file', fileId);
    return right && right.owner !== owner.user ? store.get({ user: right.owner }, fileId) : undefined;
  }

  async open(
    owner: Owner,
    fileId: string,
  ): Promise<{
    row: FileRow;
    read: (range?: { start: number; end: number }) => Promise<OpenedContent>;
    /** Returns an address of the store itself; null where clients load from the gateway. */
    link: (as: LinkedAs) => Promise<string | null>;
  }> {
    const row = (await this.#options.store.get(owner, fileId)) ?? (await this.#sharedWith(owner, fileId));
    if (!row) throw new AppError('file_not_found');
    const read = async (range?: { start: number; end: number }) => {
      const opened = await this.#options.content.open(row.sha256, range);
      if (!opened) throw new AppError('file_not_found');
      return opened;
    };
    return { row, read, link: (as) => this.#options.content.link(row.sha256, as) };
  }

  /** The names on a worker, by file id, of the files that exist for this owner. */
  async namesOnWorker(owner: Owner, fileIds: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.#options.store.getMany(owner, fileIds);
    return new Map(rows.map((row) => [row.id, nameOnWorker(row)]));
  }

  async inputsOf(taskId: string): Promise<Map<string, FileToPush>> {
    const rows = await this.#options.store.inputsOf(taskId);
    return new Map(rows.map((row) => [row.id, this.#toPush(row)]));
  }

  async keep(source: Readable, output: OutputToKeep): Promise<KeptOutput> {
    const { sha256, sizeBytes, head } = await this.#options.content.put(source, {
      maxBytes: this.maxOutputBytes,
    });
    const filename = safeDisplayName(output.filename);
    return {
      fileId: newFileId(),
      ...output,
      filename,
      contentType: contentTypeOf(head, filename).contentType,
      size: sizeBytes,
      sha256,
      ...sizeOf(head),
    };
  }

  insertKept({
    task,
    kept,
    graph,
    at,
  }: Parameters<RecordDeps['insertKept']>[0]): ReturnType<RecordDeps['insertKept']> {
    const rows = kept.map(
      ({ fileId, filename, contentType, size, sha256, width, height }): FileRow => ({
        id: fileId,
        owner: task.owner,
        filename,
        sha256,
        size,
        contentType,
        source: 'output',
        taskId: task.id,
        workflowId: task.workflowId,
        width,
        height,
        blake3: null,
        createdAt: at,
      }),
    );
    const { models } = this.#options;
    return {
      statements: [
        ...insertOutputs(task.owner, { rows, words: graph.words }),
        ...models.added(task.owner, graph.models),
      ],
      committed: () => models.remember(task.owner, graph.models),
    };
  }

  /** Deletes rows past their time; the sweep over the blobs follows. */
  async removeExpired({
    olderThanMs,
    signal,
  }: {
    olderThanMs: number | null;
    signal: AbortSignal;
  }): Promise<void> {
    const { store, content, clock } = this.#options;
    if (olderThanMs !== null) {
      const createdBefore = toIso(clock() - olderThanMs);
      let after: FilePlace | null = null;
      do {
        const page: Awaited<ReturnType<StoredFileStore['deleteOld']>> = await store.deleteOld({
          createdBefore,
          after,
          limit: pushLimits.filesPerFrame,
        });
        this.#deleted(page.rows);
        after = page.last;
      } while (after !== null && !signal.aborted);
    }
    await content.removeUnreferenced((sha256s) => store.referenced(sha256s), signal);
  }

  #created(row: FileRow): void {
    this.#options.events.announce({ type: 'files_created', owner: row.owner, files: [row] });
  }

  #deleted(rows: readonly FileRow[]): void {
    for (const owner of new Set(rows.map((row) => row.owner))) {
      const fileIds = rows.filter((row) => row.owner === owner).map(({ id }) => id);
      this.#options.events.announce({ type: 'files_deleted', owner, fileIds });
    }
  }

  /** Tells those who had the deleted files, or a collection with one of them. */
  #takenFrom(received: readonly Received[], rows: readonly FileRow[]): void {
    if (rows.length === 0) return;
    const ids = new Set(rows.map(({ id }) => id));
    for (const each of received) {
      if (each.kind === 'file' && !ids.has(each.subjectId)) continue;
      this.#options.events.announce({ type: 'share_changed', ...each });
    }
  }

  #uploadOf(userId: string, given: string, { sha256, sizeBytes, head }: StoredContent): FileRow {
    const filename = safeDisplayName(given);
    return {
      id: newFileId(),
      owner: userId,
      filename,
      sha256,
      size: sizeBytes,
      contentType: contentTypeOf(head, filename).contentType,
      source: 'upload',
      taskId: null,
      workflowId: null,
      ...sizeOf(head),
      blake3: null,
      createdAt: toIso(this.#options.clock()),
    };
  }

  #toPush(row: FileRow): FileToPush {
    return {
      sha256: row.sha256,
      extension: extensionOf(row.filename),
      sizeBytes: row.size,
      open: () => Readable.from(bytesOf(this.#options.content, row)),
    };
  }
}

/** WebAssembly, which is loaded when a client first needs it. */
async function newBlake3(): Promise<IHasher> {
  const { default: hashes } = await import('hash-wasm');
  return hashes.createBLAKE3();
}

/** Passes on what it reads, a piece of the socket at a time, so that no step keeps the event loop for long. */
async function* hashing(source: Readable, hash: IHasher): AsyncGenerator<Buffer> {
  for await (const bytes of source as AsyncIterable<Buffer>) {
    hash.update(bytes);
    yield bytes;
  }
}

function sizeOf(head: Buffer): Pick<FileRow, 'width' | 'height'> {
  return pictureSizeOf(head) ?? { width: null, height: null };
}

/** Opened when the body is first read, so that a request for the headers alone opens no file. */
async function* bytesOf(content: BlobStore, row: FileRow): AsyncGenerator<Buffer> {
  const opened = await content.open(row.sha256);
  if (!opened) throw new AppError('file_not_found', { message: contentGone(row) });
  yield* opened.stream as AsyncIterable<Buffer>;
}

function contentGone({ filename }: FileRow): string {
  return `The content of ${filename} is gone.`;
}

/** Never starts with a dash: a command line would take it for an option. */
function newFileId(): string {
  for (;;) {
    const id = newSecret(idBytes);
    if (!id.startsWith('-')) return id;
  }
}
