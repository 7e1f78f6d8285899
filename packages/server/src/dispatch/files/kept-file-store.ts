import type { FileKeeper } from '@switchyard/contract/dispatch/file';
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { WriteTransaction } from '../../platform/database/database.ts';
import { forgetSharesOfThings } from '../shares/share-store.ts';
import type { DispatchTables } from '../tables.ts';

type Trx = WriteTransaction<DispatchTables>;
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
      const left = await trx
        .deleteFrom('collection_items')
        .where('fileId', 'in', fileIds)
        .returning('collectionId')
        .execute();
      await countLeft(
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
};

/** Subtracts each of these once from the count of its collection. */
async function countLeft(trx: Trx, collectionIds: readonly string[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const id of collectionIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  // The order is fixed, so that two units about the same collections never wait for each other.
  for (const [id, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
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

export function isKept(file: OfFile): Condition {
  return file.or(Object.values(keepers).map(({ keeps }) => keeps(file)));
}

function isNeeded({ exists, selectFrom }: OfFile): Condition {
  return exists(selectFrom('task_files').select('fileId').whereRef('task_files.fileId', '=', 'files.id'));
}

/** Returns what keeps each of these files; a file that nothing keeps is left out. */
export async function keepersOf(
  read: Pick<Trx, 'selectFrom'>,
  fileIds: readonly string[],
): Promise<Map<string, FileKeeper[]>> {
  const found = new Map<string, FileKeeper[]>();
  if (fileIds.length === 0) return found;
  const names = Object.keys(keepers) as FileKeeper[];
  const rows = await read
    .selectFrom('files')
    .select('files.id')
    .select((file) => Object.entries(keepers).map(([name, { keeps }]) => keeps(file).as(name)))
    .where('files.id', 'in', [...fileIds])
    .where(isKept)
    .execute();
  for (const row of rows as ({ id: string } & Partial<Record<FileKeeper, SqlBool>>)[])
    found.set(
      row.id,
      names.filter((name) => Boolean(row[name])),
    );
  return found;
}

/** Part of the unit that deletes files: takes them out of everything that keeps files. */
export async function forgetFiles(trx: Trx, fileIds: readonly string[]): Promise<void> {
  for (const { forget } of Object.values(keepers)) await forget(trx, fileIds);
}

/** Part of the unit that deletes an account. Its files go back to the rule of `files.retention`. */
export async function forgetKeptOf<Tables>(trx: WriteTransaction<Tables>, userId: string): Promise<void> {
  const own = trx as unknown as Trx;
  await own.deleteFrom('file_marks').where('owner', '=', userId).execute();
  await own.deleteFrom('file_tags').where('owner', '=', userId).execute();
  const collections = own.selectFrom('collections').select('id').where('owner', '=', userId);
  await own.deleteFrom('collection_items').where('collectionId', 'in', collections).execute();
  await own.deleteFrom('collections').where('owner', '=', userId).execute();
}
