import type { FileKeeper } from '@switchyard/contract/dispatch/file';
import {
  type Expression,
  type ExpressionBuilder,
  type ExpressionWrapper,
  type Kysely,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { WriteTransaction } from '../../platform/database/database.ts';
import { type Dialect, dialectOf, isOneOf } from '../../platform/database/dialect.ts';
import { decodableTypes } from '../../platform/pictures/picture-library.ts';
import { forgetSharesOfThings } from '../shares/share-store.ts';
import type { DispatchTables } from '../tables.ts';

type Trx = WriteTransaction<DispatchTables>;
type Read = Kysely<DispatchTables>;
type OfFile = ExpressionBuilder<DispatchTables, 'files'>;
type Condition = ExpressionWrapper<DispatchTables, 'files', SqlBool>;

/** One thing that keeps a file beyond `files.retention`. */
interface Keeper {
  keeps: (file: OfFile) => Condition;
  /** Takes files out of it, in the unit that deletes them. */
  forget: (trx: Trx, fileIds: readonly string[]) => Promise<void>;
}

/** The one list of what keeps a file. Retention, the report about it, deletion and `keptBy` follow it. */
const keepers: Partial<Record<FileKeeper, Keeper>> = {
  starred: {
    keeps: ({ exists, selectFrom }) =>
      exists(
        selectFrom('file_marks')
          .select('file_marks.fileId')
          .whereRef('file_marks.fileId', '=', 'files.id')
          .where('file_marks.starred', '=', 1),
      ),
    forget: async (trx, fileIds) => {
      await trx.deleteFrom('file_marks').where('fileId', 'in', fileIds).execute();
      await trx.deleteFrom('file_tags').where('fileId', 'in', fileIds).execute();
    },
  },
  collection: {
    keeps: ({ exists, selectFrom }) =>
      exists(
        selectFrom('collection_items')
          .select('collection_items.fileId')
          .whereRef('collection_items.fileId', '=', 'files.id'),
      ),
    forget: async (trx, fileIds) => {
      await lockCollectionsOf(trx, fileIds);
      const left = await trx
        .deleteFrom('collection_items')
        .where('fileId', 'in', fileIds)
        .returning('collectionId')
        .execute();
      await subtract(
        trx,
        left.map(({ collectionId }) => collectionId),
      );
      await trx
        .updateTable('collections')
        .set({ coverFileId: null })
        .where('coverFileId', 'in', fileIds)
        .execute();
    },
  },
  shared: {
    keeps: ({ exists, selectFrom }) =>
      exists(
        selectFrom('shares')
          .select('shares.id')
          .where('shares.kind', '=', 'file')
          .whereRef('shares.subjectId', '=', 'files.id'),
      ),
    forget: (trx, fileIds) => forgetSharesOfThings(trx, 'file', fileIds),
  },
  sweep: {
    keeps: ({ exists, selectFrom }) =>
      exists(selectFrom('sweep_cells').select('cell').whereRef('sweep_cells.taskId', '=', 'files.taskId')),
    // A cell has the files of its task that exist.
    forget: async () => undefined,
  },
  cover: {
    keeps: (file) => file.or([isChosenCover(file), isLastPicture(file)]),
    forget: async (trx, fileIds) => {
      await trx
        .updateTable('saved_workflows')
        .set({ coverFileId: null })
        .where('coverFileId', 'in', fileIds)
        .execute();
    },
  },
};

/** A unit locks files first, then collections, then their items, so that no two wait for each other. */
async function lockCollectionsOf(trx: Trx, fileIds: readonly string[]): Promise<void> {
  if (dialectOf(trx) === 'sqlite') return;
  const named = trx.selectFrom('collection_items').select('collectionId').where('fileId', 'in', fileIds);
  await trx
    .selectFrom('collections')
    .select('id')
    .where('id', 'in', named)
    .orderBy('id')
    .forUpdate()
    .execute();
}

function isChosenCover({ exists, selectFrom }: OfFile): Condition {
  return exists(
    selectFrom('saved_workflows')
      .select('saved_workflows.id')
      .whereRef('saved_workflows.coverFileId', '=', 'files.id'),
  );
}

/** True for the last picture that a workflow has made for its owner, while no other one is chosen. */
function isLastPicture({ and, exists, not, selectFrom, ...file }: OfFile): Condition {
  return and([
    exists(
      selectFrom('saved_workflows')
        .select('saved_workflows.id')
        .whereRef('saved_workflows.id', '=', 'files.workflowId')
        .whereRef('saved_workflows.owner', '=', 'files.owner')
        .where('saved_workflows.coverFileId', 'is', null),
    ),
    file.eb('files.contentType', 'in', [...decodableTypes]),
    not(
      exists(
        selectFrom('files as later')
          .select('later.id')
          .whereRef('later.workflowId', '=', 'files.workflowId')
          .whereRef('later.owner', '=', 'files.owner')
          .where('later.contentType', 'in', [...decodableTypes])
          .where(({ eb, refTuple }) =>
            eb(refTuple('later.createdAt', 'later.id'), '>', refTuple('files.createdAt', 'files.id')),
          ),
      ),
    ),
  ]);
}

/** Subtracts each of these once from the count of its collection. */
async function subtract(trx: Trx, collectionIds: readonly string[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const id of collectionIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts)
    await trx
      .updateTable('collections')
      .set((update) => ({ itemCount: update('itemCount', '-', count) }))
      .where('id', '=', id)
      .execute();
}

/** True for a file that retention may delete: no unfinished task needs it, and nothing keeps it. */
export function isRemovable(file: OfFile): Condition {
  const { and, not } = file;
  return and([not(isNeeded(file)), not(isKept(file))]);
}

function isKept(file: OfFile): Condition {
  return file.or(Object.values(keepers).map(({ keeps }) => keeps(file)));
}

function isNeeded({ exists, selectFrom }: OfFile): Condition {
  return exists(selectFrom('task_files').select('fileId').whereRef('task_files.fileId', '=', 'files.id'));
}

/** What its owner notes about a file, and what keeps it. */
export interface FileNotes {
  caption: string;
  tags: string[];
  keptBy: FileKeeper[];
}

export async function notesOn(read: Read, fileIds: readonly string[]): Promise<Map<string, FileNotes>> {
  const notes = new Map<string, FileNotes>();
  if (fileIds.length === 0) return notes;
  // A list of parameters, since Postgres reads the whole table for ids that it takes out of a JSON text.
  const ids = [...fileIds];
  // Each note is a select of its own, so that Postgres looks it up by its index. For a condition it would read the notes of all files.
  const rows: ({ id: string; caption: string | null } & Partial<Record<FileKeeper, SqlBool>>)[] = await read
    .selectFrom('files')
    .select('files.id')
    .select(({ selectFrom }) =>
      selectFrom('file_marks').select('caption').whereRef('file_marks.fileId', '=', 'files.id').as('caption'),
    )
    .select((file) =>
      Object.entries(keepers).map(([name, { keeps }]) => sql<SqlBool>`(select ${keeps(file)})`.as(name)),
    )
    .where('files.id', 'in', ids)
    .execute();
  const names = Object.keys(keepers) as FileKeeper[];
  for (const row of rows) {
    const keptBy = names.filter((name) => Boolean(row[name]));
    notes.set(row.id, { caption: row.caption ?? '', tags: [], keptBy });
  }
  const tags = await read
    .selectFrom('file_tags')
    .select(['fileId', 'tag'])
    .where('fileId', 'in', ids)
    .orderBy('tag')
    .execute();
  for (const { fileId, tag } of tags) notes.get(fileId)?.tags.push(tag);
  return notes;
}

export interface NotesFilter {
  starred?: boolean | undefined;
  tag?: string | undefined;
  collectionId?: string | undefined;
  /** Only files that nothing keeps and that are older than this. */
  unkeptBefore?: string | undefined;
}

export function filtersNotes({ starred, tag, collectionId, unkeptBefore }: NotesFilter): boolean {
  return [starred, tag, collectionId, unkeptBefore].some((value) => value !== undefined);
}

/** Returns the condition of a list of the files of this user, or of all users. */
export function hasNotes(filter: NotesFilter, user: string | undefined): (file: OfFile) => Condition {
  const { starred, unkeptBefore } = filter;
  return (file) => {
    const { and, eb, not } = file;
    const has = ([name, value]: Note) =>
      sql<SqlBool>`exists (select 1 from ${sql.table(noteTables[name])} as noted
        where noted."fileId" = files.id and ${isNote([name, value], user)})`;
    const noted: Expression<SqlBool>[] = notesIn(filter).map(has);
    if (starred === false) noted.push(not(has(['starred', ''])));
    if (unkeptBefore !== undefined) noted.push(eb('files.createdAt', '<', unkeptBefore), not(isKept(file)));
    return and(noted);
  };
}

/**
 * Returns the files with one of the notes of a filter as a table with these columns of theirs, their number, and the filter without that
 * note. Undefined when it asks for none. An index has them in the order of a list.
 */
export function notedFiles<Filter extends NotesFilter>(
  filter: Filter,
  { dialect, user, columns }: { dialect: Dialect; user: string | undefined; columns: readonly string[] },
): { files: RawBuilder<unknown>; count: RawBuilder<{ count: number | string }>; others: Filter } | undefined {
  const [first] = notesIn(filter);
  if (first === undefined) return undefined;
  const table = sql.table(noteTables[first[0]]);
  const others = columns.filter((name) => name !== 'id' && name !== 'createdAt');
  // Postgres looks up the row of one note after the other. It would rather begin with all files, since it cannot know how many of them fit.
  const owned =
    dialect === 'postgres'
      ? sql`lateral (select * from files where files.id = noted."fileId" offset 0) as owned`
      : sql`files as owned on owned.id = noted."fileId"`;
  return {
    files: sql`(select noted."fileId" as id, noted."createdAt", ${sql.join(others.map((name) => sql.ref(`owned.${name}`)))}
      from ${table} as noted cross join ${owned} where ${isNote(first, user)})`,
    count: sql`select count(*) as count from ${table} as noted where ${isNote(first, user)}`,
    others: { ...filter, [first[0]]: undefined },
  };
}

type Note = [name: keyof typeof noteTables, value: string];
const noteTables = { collectionId: 'collection_items', tag: 'file_tags', starred: 'file_marks' } as const;

/** The notes that files must have, the rarer kinds first. */
function notesIn({ collectionId, tag, starred }: NotesFilter): Note[] {
  return [
    ...(collectionId === undefined ? [] : [['collectionId', collectionId] satisfies Note]),
    ...(tag === undefined ? [] : [['tag', tag] satisfies Note]),
    ...(starred === true ? [['starred', ''] satisfies Note] : []),
  ];
}

/** A collection is of one user; the indexes of the others begin with the owner. */
function isNote([name, value]: Note, user: string | undefined): RawBuilder<SqlBool> {
  if (name === 'collectionId') {
    const own =
      user === undefined
        ? sql``
        : sql` and exists (select 1 from collections where id = ${value} and owner = ${user})`;
    return sql`noted."collectionId" = ${value}${own}`;
  }
  const own = user === undefined ? sql`` : sql` and noted."owner" = ${user}`;
  return name === 'tag' ? sql`noted."tag" = ${value}${own}` : sql`noted."starred" = 1${own}`;
}

/** Part of the unit that deletes files: takes them out of everything that keeps files. */
export async function forgetFiles(trx: Trx, fileIds: readonly string[]): Promise<void> {
  for (const { forget } of Object.values(keepers)) await forget(trx, fileIds);
}

/**
 * Part of the unit that deletes an account. Its files go back to the rule of `files.retention`, and its workflows are
 * deleted, since they would keep their covers for ever.
 */
export async function forgetKeptOf<Tables>(trx: WriteTransaction<Tables>, userId: string): Promise<void> {
  const own = trx as unknown as Trx;
  await own.deleteFrom('file_marks').where('owner', '=', userId).execute();
  await own.deleteFrom('file_models').where('owner', '=', userId).execute();
  await own.deleteFrom('file_tags').where('owner', '=', userId).execute();
  const gone = await own.deleteFrom('collections').where('owner', '=', userId).returning('id').execute();
  const ids = gone.map(({ id }) => id);
  await own
    .deleteFrom('collection_items')
    .where(isOneOf(dialectOf(own), { column: 'collectionId', values: ids }))
    .execute();
  const sweeps = own.selectFrom('sweeps').select('id').where('owner', '=', userId);
  await own.deleteFrom('sweep_cells').where('sweepId', 'in', sweeps).execute();
  await own.deleteFrom('sweeps').where('owner', '=', userId).execute();
  const workflows = own.selectFrom('saved_workflows').select('id').where('owner', '=', userId);
  await own.deleteFrom('saved_workflow_versions').where('workflowId', 'in', workflows).execute();
  await own.deleteFrom('saved_workflows').where('owner', '=', userId).execute();
}
