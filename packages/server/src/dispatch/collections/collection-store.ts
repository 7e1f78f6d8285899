import { collectionLimits } from '@switchyard/contract/dispatch/collection';
import type { Selectable } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isUniqueViolation } from '../../platform/database/database-errors.ts';
import { isOneOf, lockName } from '../../platform/database/dialect.ts';
import { lockOwnFiles } from '../files/file-mark-store.ts';
import { type FileNotes, notesOn } from '../files/kept-file-store.ts';
import type { FileRow } from '../files/stored-file-store.ts';
import { forgetSharesOfThings } from '../shares/share-store.ts';
import type { CollectionTable, DispatchTables } from '../tables.ts';

export type CollectionRow = Selectable<CollectionTable>;
type Trx = WriteTransaction<DispatchTables>;

export interface ShownCollection {
  row: CollectionRow;
  cover: FileRow | undefined;
}

interface ItemPlace {
  place: number;
  fileId: string;
  /** The time of the file. */
  createdAt: string;
}

interface Change {
  collectionId: string;
  at: string;
}

/** Collections belong to their user; even an administrator sees only their own. */
export class CollectionStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async insert(user: string, row: CollectionRow): Promise<void> {
    await this.#write(async (trx) => {
      await lockName(trx, {
        dialect: this.#database.dialect,
        name: `collections of ${user}`,
        isShared: false,
      });
      const { count } = await trx
        .selectFrom('collections')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('owner', '=', user)
        .executeTakeFirstOrThrow();
      if (Number(count) >= collectionLimits.perUser) throw new AppError('collection_limit');
      await trx.insertInto('collections').values(row).execute();
    });
  }

  async list(
    user: string,
    page: { name?: string | undefined; fileId?: string | undefined; limit: number; offset: number },
  ): Promise<{ total: number; items: ShownCollection[] }> {
    return this.#database.snapshot(async ({ read }) => {
      const own = read
        .selectFrom('collections')
        .where('owner', '=', user)
        .$if(page.name !== undefined, (query) => query.where('name', '=', page.name ?? ''))
        .$if(page.fileId !== undefined, (query) =>
          query.where(({ eb, selectFrom }) =>
            eb(
              'id',
              'in',
              selectFrom('collection_items')
                .select('collectionId')
                .where('fileId', '=', page.fileId ?? ''),
            ),
          ),
        );
      const { total } = await own
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = await own.selectAll().orderBy('name').limit(page.limit).offset(page.offset).execute();
      return { total: Number(total), items: await withCovers(read, rows) };
    });
  }

  async get(user: string, collectionId: string): Promise<ShownCollection | undefined> {
    return this.#database.snapshot(async ({ read }) => {
      const row = await ownRow(read, user, collectionId).executeTakeFirst();
      return row && (await withCovers(read, [row]))[0];
    });
  }

  /** A page of its files in its order, with what their owner notes about them. */
  async files(
    collectionId: string,
    { after, limit }: { after: number | undefined; limit: number },
  ): Promise<{ rows: (FileRow & { place: number })[]; notes: Map<string, FileNotes> }> {
    return this.#database.snapshot(async ({ read }) => {
      const rows = await read
        .selectFrom('collection_items')
        .innerJoin('files', 'files.id', 'collection_items.fileId')
        .selectAll('files')
        .select('collection_items.place')
        .where('collectionId', '=', collectionId)
        .$if(after !== undefined, (query) => query.where('place', '>', after ?? 0))
        .orderBy('collection_items.place')
        .limit(limit)
        .execute();
      const ids = rows.map(({ id }) => id);
      return { rows, notes: await notesOn(read, ids) };
    });
  }

  async change(
    user: string,
    { collectionId, at }: Change,
    { name, coverFileId }: { name?: string | undefined; coverFileId?: string | null | undefined },
  ): Promise<void> {
    await this.#write(async (trx) => {
      await this.#lock(trx, user, collectionId);
      if (coverFileId && (await placesOf(trx, collectionId, [coverFileId])).length === 0)
        throw new AppError('file_not_found', { message: notInIt(coverFileId) });
      await trx
        .updateTable('collections')
        .set({
          ...(name !== undefined && { name }),
          ...(coverFileId !== undefined && { coverFileId }),
          updatedAt: at,
        })
        .where('id', '=', collectionId)
        .execute();
    });
  }

  async delete(user: string, collectionId: string): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const gone = await trx
        .deleteFrom('collections')
        .where('owner', '=', user)
        .where('id', '=', collectionId)
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) return false;
      await trx.deleteFrom('collection_items').where('collectionId', '=', collectionId).execute();
      await forgetSharesOfThings(trx, 'collection', [collectionId]);
      return true;
    });
  }

  /** Adds files of this user behind the others. Those that it has already stay where they are. */
  async add(user: string, change: Change, fileIds: readonly string[]): Promise<void> {
    const { collectionId } = change;
    await this.#database.write(async (trx) => {
      const files = await lockOwnFiles(trx, { dialect: this.#database.dialect, user, fileIds });
      const timeOf = new Map(files.map(({ id, createdAt }) => [id, createdAt]));
      const { itemCount } = await this.#lock(trx, user, collectionId);
      const present = new Set((await placesOf(trx, collectionId, fileIds)).map(({ fileId }) => fileId));
      const fresh = fileIds.filter((fileId) => !present.has(fileId));
      if (itemCount + fresh.length > collectionLimits.files)
        throw new AppError('collection_full', {
          message: `A collection has at most ${collectionLimits.files} files. This one has ${itemCount}, and ${fresh.length} would be added.`,
        });
      const last = await lastPlace(trx, collectionId);
      const places = placesBetween(last, null, fresh.length);
      const items = fresh.map((fileId) => ({ fileId, createdAt: timeOf.get(fileId) ?? '' }));
      await insertItems(trx, { collectionId, items, places });
      await touch(trx, change, fresh.length);
    });
  }

  async remove(user: string, change: Change, fileIds: readonly string[]): Promise<void> {
    const { collectionId } = change;
    await this.#database.write(async (trx) => {
      const { coverFileId } = await this.#lock(trx, user, collectionId);
      const removed = await this.#takeOut(trx, collectionId, fileIds);
      if (coverFileId !== null && fileIds.includes(coverFileId))
        await trx
          .updateTable('collections')
          .set({ coverFileId: null })
          .where('id', '=', collectionId)
          .execute();
      await touch(trx, change, -removed);
    });
  }

  /** Puts files before another one, or to the end. Files that are not in the collection any more stay out. */
  async move(
    user: string,
    change: Change,
    { fileIds, before }: { fileIds: readonly string[]; before: string | null },
  ): Promise<void> {
    const { collectionId } = change;
    await this.#database.write(async (trx) => {
      await this.#lock(trx, user, collectionId);
      const found = new Map((await placesOf(trx, collectionId, fileIds)).map((item) => [item.fileId, item]));
      const moved = fileIds.flatMap((fileId) => found.get(fileId) ?? []);
      await this.#takeOut(
        trx,
        collectionId,
        moved.map(({ fileId }) => fileId),
      );
      const places =
        (await roomBefore(trx, { collectionId, before, count: moved.length })) ??
        (await this.#roomAfterNumbering(trx, { collectionId, before, count: moved.length }));
      await insertItems(trx, { collectionId, items: moved, places });
      await touch(trx, change, 0);
    });
  }

  /** The places have come too close together: numbers them again, which makes room. */
  async #roomAfterNumbering(
    trx: Trx,
    wanted: { collectionId: string; before: string | null; count: number },
  ): Promise<number[]> {
    const { collectionId } = wanted;
    const ranked = trx
      .selectFrom('collection_items')
      .select([
        'fileId as rankedId',
        ({ fn }) =>
          fn
            .agg<number>('row_number')
            .over((over) => over.orderBy('place'))
            .as('rank'),
      ])
      .where('collectionId', '=', collectionId)
      .as('ranked');
    await trx
      .updateTable('collection_items')
      .from(ranked)
      .set(({ ref }) => ({ place: ref('ranked.rank') }))
      .where('collectionId', '=', collectionId)
      .whereRef('fileId', '=', 'ranked.rankedId')
      .execute();
    const places = await roomBefore(trx, wanted);
    if (places === null) throw new Error(`There is no room in collection ${collectionId}.`);
    return places;
  }

  async #takeOut(trx: Trx, collectionId: string, fileIds: readonly string[]): Promise<number> {
    const gone = await trx
      .deleteFrom('collection_items')
      .where('collectionId', '=', collectionId)
      .where(isOneOf(this.#database.dialect, { column: 'fileId', values: fileIds }))
      .executeTakeFirst();
    return Number(gone.numDeletedRows);
  }

  /** The units about one collection follow each other. */
  async #lock(trx: Trx, user: string, collectionId: string): Promise<CollectionRow> {
    const row = await ownRow(trx, user, collectionId)
      .$if(this.#database.dialect === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    if (!row) throw new AppError('collection_not_found');
    return row;
  }

  async #write(unit: (trx: Trx) => Promise<void>): Promise<void> {
    try {
      await this.#database.write(unit);
    } catch (error) {
      throw isUniqueViolation(error) ? new AppError('collection_exists', { cause: error }) : error;
    }
  }
}

type Read = Pick<Trx, 'selectFrom'>;

function ownRow(read: Read, user: string, collectionId: string) {
  return read.selectFrom('collections').selectAll().where('owner', '=', user).where('id', '=', collectionId);
}

async function withCovers(read: Read, rows: readonly CollectionRow[]): Promise<ShownCollection[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = await read
    .selectFrom('collections')
    .innerJoin('files', (join) =>
      join.on(({ eb, fn, selectFrom }) =>
        eb(
          'files.id',
          '=',
          fn.coalesce(
            'collections.coverFileId',
            selectFrom('collection_items')
              .select('collection_items.fileId')
              .whereRef('collection_items.collectionId', '=', 'collections.id')
              .orderBy('collection_items.place')
              .limit(1),
          ),
        ),
      ),
    )
    .selectAll('files')
    .select('collections.id as collectionId')
    .where('collections.id', 'in', ids)
    .execute();
  const covers = new Map(found.map((file) => [file.collectionId, file]));
  return rows.map((row) => ({ row, cover: covers.get(row.id) }));
}

async function placesOf(read: Read, collectionId: string, fileIds: readonly string[]): Promise<ItemPlace[]> {
  if (fileIds.length === 0) return [];
  return read
    .selectFrom('collection_items')
    .select(['place', 'fileId', 'createdAt'])
    .where('collectionId', '=', collectionId)
    .where('fileId', 'in', [...fileIds])
    .execute();
}

async function lastPlace(read: Read, collectionId: string, below?: number): Promise<number | null> {
  const { last } = await read
    .selectFrom('collection_items')
    .select(({ fn }) => fn.max<number | null>('place').as('last'))
    .where('collectionId', '=', collectionId)
    .$if(below !== undefined, (query) => query.where('place', '<', below ?? 0))
    .executeTakeFirstOrThrow();
  return last;
}

/** Returns as many places before this file, and null when the numbers are too close for that. */
async function roomBefore(
  read: Read,
  { collectionId, before, count }: { collectionId: string; before: string | null; count: number },
): Promise<number[] | null> {
  if (before === null) return placesBetween(await lastPlace(read, collectionId), null, count);
  const [follower] = await placesOf(read, collectionId, [before]);
  if (!follower) throw new AppError('collection_changed', { message: notInIt(before) });
  return placesBetween(await lastPlace(read, collectionId, follower.place), follower.place, count);
}

async function insertItems(
  trx: Trx,
  {
    collectionId,
    items,
    places,
  }: { collectionId: string; items: readonly Omit<ItemPlace, 'place'>[]; places: readonly number[] },
): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(({ fileId, createdAt }, index) => ({
    collectionId,
    fileId,
    place: places[index] ?? 0,
    createdAt,
  }));
  await trx.insertInto('collection_items').values(rows).execute();
}

async function touch(trx: Trx, { collectionId, at }: Change, more: number): Promise<void> {
  await trx
    .updateTable('collections')
    .set((update) => ({ itemCount: update('itemCount', '+', more), updatedAt: at }))
    .where('id', '=', collectionId)
    .execute();
}

function notInIt(fileId: string): string {
  return `File ${fileId} is not in this collection. Read its files again.`;
}

/**
 * Returns so many places between two others, in order, and null when the numbers lie too close together. `null` as a
 * bound: nothing is there.
 */
function placesBetween(lower: number | null, upper: null, count: number): number[];
function placesBetween(lower: number | null, upper: number | null, count: number): number[] | null;
function placesBetween(lower: number | null, upper: number | null, count: number): number[] | null {
  const from = lower ?? (upper ?? 0) - count - 1;
  const step = upper === null ? 1 : (upper - from) / (count + 1);
  const places = Array.from({ length: count }, (_, index) => from + step * (index + 1));
  const bounds = [from, ...places, ...(upper === null ? [] : [upper])];
  return bounds.every((place, index) => index === 0 || place > (bounds[index - 1] ?? 0)) ? places : null;
}
