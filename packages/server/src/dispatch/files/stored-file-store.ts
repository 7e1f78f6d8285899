import type { Insertable, Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import { type AuditPart, noRecord } from '../../platform/audit/audit.ts';
import type { BoundStatement } from '../../platform/database/bound-statement.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { dialectOf, lockName, partOfCounter } from '../../platform/database/dialect.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { Lastly } from '../../platform/database/unit.ts';
import { wordsOfFile } from '../graphs/file-words.ts';
import type { DispatchTables, FileTable } from '../tables.ts';
import { claimKey } from '../tasks/task-store.ts';
import { deleteTexts, insertTexts } from './file-text-store.ts';
import { forgetFiles, isRemovable } from './kept-file-store.ts';

export type FileRow = Selectable<FileTable>;
export type NewFileRow = Insertable<FileTable>;
type Trx = WriteTransaction<DispatchTables>;

/** The place of a file in the order of a list. */
export type FilePlace = Pick<FileRow, 'createdAt' | 'id'>;

export class StoredFileStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /**
   * Adds one upload. The owner's bytes are counted in the same write, so that parallel uploads cannot pass the quota
   * together.
   */
  async insertUpload(owner: Owner, row: NewFileRow, { quotaBytes }: { quotaBytes: number }): Promise<void> {
    requireOwner(owner);
    await this.#database.write((trx, lastly) => insertUpload(trx, row, { quotaBytes, lastly }));
  }

  /**
   * Like `insertUpload`, but adds nothing when its owner has already uploaded this content under this name. Returns the
   * id of the file.
   */
  async insertUploadOnce(
    owner: Owner,
    row: NewFileRow,
    { quotaBytes }: { quotaBytes: number },
  ): Promise<string> {
    requireOwner(owner);
    return this.#database.write(async (trx, lastly) => {
      const present = await sameUpload(trx, row);
      if (!present) await insertUpload(trx, row, { quotaBytes, lastly });
      return present?.id ?? row.id;
    });
  }

  /**
   * Like `insertUploadOnce`. All files of its owner with this content get its BLAKE3. `isKnown`: there were some
   * before. Throws `idempotency_mismatch` when the key was used before.
   */
  async insertHashed(
    owner: Owner,
    row: FileRow,
    { quotaBytes, key }: { quotaBytes: number; key: string | null },
  ): Promise<{ row: FileRow; isKnown: boolean }> {
    requireOwner(owner);
    const { owner: user, sha256, blake3, createdAt } = row;
    return this.#database.write(async (trx, lastly) => {
      const claim = { owner: user, bodyHash: sha256, taskId: row.id, createdAt };
      if (key !== null && !(await claimKey(trx, { ...claim, key })))
        throw new AppError('idempotency_mismatch');
      const known = await newestOf(trx, user).select('id').where('sha256', '=', sha256).executeTakeFirst();
      const present = known && (await sameUpload(trx, row));
      if (!present) await insertUpload(trx, row, { quotaBytes, lastly });
      if (known)
        await trx
          .updateTable('files')
          .set({ blake3 })
          .where('owner', '=', user)
          .where('sha256', '=', sha256)
          .where('blake3', 'is', null)
          .execute();
      return { row: present ? { ...present, blake3 } : row, isKnown: known !== undefined };
    });
  }

  /**
   * Gives another name to content that its owner has already. Returns the file that has this name, if there is one, and
   * undefined when the owner has no file with this content.
   */
  async insertCopy(
    owner: string,
    { blake3, ...copy }: Pick<FileRow, 'id' | 'createdAt'> & { blake3: string; filename: string | null },
    { quotaBytes }: { quotaBytes: number },
  ): Promise<{ row: FileRow; isKnown: boolean } | undefined> {
    return this.#database.write(async (trx, lastly) => {
      const ofContent = newestOf(trx, owner).selectAll().where('blake3', '=', blake3);
      const source = await ofContent.$if(this.#locksRows, (query) => query.forShare()).executeTakeFirst();
      if (!source) return undefined;
      const filename = copy.filename ?? source.filename;
      const present = await ofContent.where('filename', '=', filename).executeTakeFirst();
      if (present) return { row: present, isKnown: true };
      const row: FileRow = { ...source, ...copy, filename, source: 'upload', taskId: null, workflowId: null };
      await insertUpload(trx, row, { quotaBytes, lastly });
      return { row, isKnown: false };
    });
  }

  async usedBytes(owner: string): Promise<number> {
    return sumOfUsage(this.#database.read, owner);
  }

  async get(owner: Owner, fileId: string): Promise<FileRow | undefined> {
    return visibleTo(owner, this.#database.read.selectFrom('files'))
      .selectAll()
      .where('id', '=', fileId)
      .executeTakeFirst();
  }

  async getMany(owner: Owner, fileIds: readonly string[]): Promise<FileRow[]> {
    if (fileIds.length === 0) return [];
    return visibleTo(owner, this.#database.read.selectFrom('files'))
      .selectAll()
      .where('id', 'in', [...fileIds])
      .execute();
  }

  /** The user's newest output of this name. */
  async newestOutput(owner: string, filename: string): Promise<FileRow | undefined> {
    return newestOf(this.#database.read, owner)
      .selectAll()
      .where('filename', '=', filename)
      .where('source', '=', 'output')
      .executeTakeFirst();
  }

  async newestUpload(owner: string, filename: string): Promise<FileRow | undefined> {
    return newestOf(this.#database.read, owner)
      .selectAll()
      .where('filename', '=', filename)
      .where('source', '=', 'upload')
      .executeTakeFirst();
  }

  /** The user's newest file with this content. */
  async newestWith(owner: string, sha256: string): Promise<FileRow | undefined> {
    return newestOf(this.#database.read, owner).selectAll().where('sha256', '=', sha256).executeTakeFirst();
  }

  /** Returns whether the user has a file with this content. A user who has none learns nothing of the files of others. */
  async hasBlake3(owner: string, blake3: string): Promise<boolean> {
    const query = newestOf(this.#database.read, owner).select('id').where('blake3', '=', blake3);
    return (await query.executeTakeFirst()) !== undefined;
  }

  /** The input files of a task, for handing them to its worker. */
  async inputsOf(taskId: string): Promise<FileRow[]> {
    return this.#database.read
      .selectFrom('files')
      .innerJoin('task_files', 'task_files.fileId', 'files.id')
      .selectAll('files')
      .where('task_files.taskId', '=', taskId)
      .execute();
  }

  /** Deletes those of these files that no unfinished task of their owner needs. Returns them, and the ids of the needed ones. */
  async delete(
    owner: Owner,
    fileIds: readonly string[],
    recordOf: (row: FileRow) => AuditPart = () => noRecord,
  ): Promise<{ rows: FileRow[]; inUse: Set<string> }> {
    return this.#database.write(async (trx) => {
      const found = await visibleTo(owner, trx.selectFrom('files'))
        .selectAll()
        .where('id', 'in', [...fileIds])
        .orderBy('id')
        .$if(this.#locksRows, (query) => query.forUpdate())
        .execute();
      const inUse = await usedOf(
        trx,
        found.map(({ id }) => id),
      );
      const rows = found.filter(({ id }) => !inUse.has(id));
      await removeRows(trx, rows);
      for (const row of rows) await recordOf(row)(trx);
      return { rows, inUse };
    });
  }

  /**
   * Looks at a page of the files older than this, the oldest first, and deletes those that no unfinished task needs and
   * nothing keeps. Returns the deleted ones and the last place of the page, which is null when no page follows.
   */
  async deleteOld({
    createdBefore,
    after,
    limit,
  }: {
    createdBefore: string;
    after: FilePlace | null;
    limit: number;
  }): Promise<{ rows: FileRow[]; last: FilePlace | null }> {
    return this.#database.write(async (trx) => {
      const page = await trx
        .selectFrom('files')
        .select(['createdAt', 'id'])
        .where('createdAt', '<', createdBefore)
        .$if(after !== null, (query) => query.where('createdAt', '>=', after?.createdAt ?? ''))
        .$if(after !== null, (query) =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('files.createdAt', 'files.id'), '>', tuple(after?.createdAt ?? '', after?.id ?? '')),
          ),
        )
        .orderBy('createdAt')
        .orderBy('id')
        .limit(limit)
        .execute();
      const rows = await lockRemovable(
        trx,
        page.map(({ id }) => id),
        this.#locksRows,
      );
      await removeRows(trx, rows);
      return { rows, last: page.length < limit ? null : (page.at(-1) ?? null) };
    });
  }

  get #locksRows(): boolean {
    return this.#database.dialect === 'postgres';
  }

  /** Returns those of these blobs that a row still names. */
  async referenced(sha256s: readonly string[]): Promise<Set<string>> {
    const rows = await this.#database.read
      .selectFrom('files')
      .select('sha256')
      .distinct()
      .where('sha256', 'in', [...sha256s])
      .execute();
    return new Set(rows.map(({ sha256 }) => sha256));
  }
}

function newestOf(read: Pick<Trx, 'selectFrom'>, owner: string) {
  return read
    .selectFrom('files')
    .where('owner', '=', owner)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1);
}

/** The upload with the content and the name of this one. */
async function sameUpload(
  trx: Trx,
  { owner, sha256, filename }: Pick<FileRow, 'owner' | 'sha256' | 'filename'>,
): Promise<FileRow | undefined> {
  return newestOf(trx, owner)
    .selectAll()
    .where('sha256', '=', sha256)
    .where('filename', '=', filename)
    .where('source', '=', 'upload')
    .executeTakeFirst();
}

/** Uploads of one user wait for each other, so that two never take the last room of the quota. */
async function insertUpload(
  trx: Trx,
  row: NewFileRow,
  { quotaBytes, lastly }: { quotaBytes: number; lastly: Lastly },
): Promise<void> {
  const { owner, size } = row;
  await lockName(trx, { dialect: dialectOf(trx), name: `uploads of ${owner}`, isShared: false });
  await addUsage(trx, owner, { bytes: size, count: 1 });
  if ((await sumOfUsage(trx, owner)) > quotaBytes) throw new AppError('quota_exceeded');
  await trx.insertInto('files').values(row).execute();
  lastly(...insertTexts([{ fileId: row.id, createdAt: row.createdAt, words: wordsOfFile(row) }]));
}

/** Returns part of the write that ends a task; `words` are those of its graph. Outputs count towards the quota, but a task that ran always keeps its result. */
export function insertOutputs(
  owner: string,
  { rows, words }: { rows: readonly FileRow[]; words: readonly string[] },
): BoundStatement[] {
  if (rows.length === 0) return [];
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  const texts = rows.map((row) => ({
    fileId: row.id,
    createdAt: row.createdAt,
    words: wordsOfFile(row, words),
  }));
  return [
    ...newFiles.bind(rows),
    ...insertTexts(texts),
    changedUsage.bind({ owner, bytes, count: rows.length }),
  ];
}

/** The files among these that an unfinished task of their owner needs. */
async function usedOf(trx: Trx, fileIds: readonly string[]): Promise<Set<string>> {
  if (fileIds.length === 0) return new Set();
  const rows = await trx
    .selectFrom('task_files')
    .innerJoin('tasks', 'tasks.id', 'task_files.taskId')
    .innerJoin('files', 'files.id', 'task_files.fileId')
    .select('fileId')
    .where('fileId', 'in', [...fileIds])
    .whereRef('tasks.owner', '=', 'files.owner')
    .execute();
  return new Set(rows.map(({ fileId }) => fileId));
}

/** Returns those of these files that may be deleted, and locks them where rows are locked. */
async function lockRemovable(trx: Trx, fileIds: readonly string[], locksRows: boolean): Promise<FileRow[]> {
  if (fileIds.length === 0) return [];
  const removable = trx.selectFrom('files').selectAll().where(isRemovable);
  const found = await removable
    .where('files.id', 'in', [...fileIds])
    .orderBy('files.id')
    .$if(locksRows, (query) => query.forUpdate())
    .execute();
  if (!locksRows || found.length === 0) return found;
  // Looked at again while the rows are locked: a submission or a star may have named one during the wait for the lock.
  const locked = found.map(({ id }) => id);
  return removable.where('files.id', 'in', locked).execute();
}

async function removeRows(trx: Trx, rows: readonly FileRow[]): Promise<void> {
  if (rows.length === 0) return;
  const fileIds = rows.map(({ id }) => id);
  await forgetFiles(trx, fileIds);
  await deleteTexts(trx, rows);
  await trx.deleteFrom('files').where('id', 'in', fileIds).execute();
  const freed = new Map<string, { bytes: number; count: number }>();
  for (const { owner, size } of rows) {
    const { bytes, count } = freed.get(owner) ?? { bytes: 0, count: 0 };
    freed.set(owner, { bytes: bytes - size, count: count - 1 });
  }
  // The order is fixed, so that two writes about the same owners never wait for each other.
  for (const [owner, change] of [...freed].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await addUsage(trx, owner, change);
  }
}

async function addUsage(
  trx: Trx,
  owner: string,
  { bytes, count }: { bytes: number; count: number },
): Promise<void> {
  await changedUsage.run(trx, { owner, bytes, count });
}

async function sumOfUsage(read: Pick<Trx, 'selectFrom'>, owner: string): Promise<number> {
  const { bytes } = await read
    .selectFrom('file_usage')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

export const fileColumns = [
  'id',
  'owner',
  'filename',
  'sha256',
  'size',
  'contentType',
  'source',
  'taskId',
  'workflowId',
  'width',
  'height',
  'blake3',
  'createdAt',
] as const satisfies (keyof FileRow)[];

const newFiles = new PreparedRows(fileColumns, (db: Kysely<DispatchTables>, rows: FileRow[]) =>
  db.insertInto('files').values(rows),
);

const changedUsage = new Prepared(
  (db: Kysely<DispatchTables>, change: { owner: string; bytes: number; count: number }, dialect) =>
    db
      .insertInto('file_usage')
      .values({
        owner: change.owner,
        part: partOfCounter(dialect),
        bytes: change.bytes,
        count: change.count,
      })
      .onConflict((conflict) =>
        conflict.columns(['owner', 'part']).doUpdateSet((update) => ({
          bytes: update('file_usage.bytes', '+', update.ref('excluded.bytes')),
          count: update('file_usage.count', '+', update.ref('excluded.count')),
        })),
      ),
);

/** Narrows a query to the files that this owner may see. */
export function visibleTo<Output>(
  owner: Owner,
  query: SelectQueryBuilder<DispatchTables, 'files', Output>,
): SelectQueryBuilder<DispatchTables, 'files', Output> {
  const checked = requireOwner(owner);
  return 'user' in checked ? query.where('files.owner', '=', checked.user) : query;
}
