import { markLimits } from '@switchyard/contract/dispatch/file';
import { sql } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { DispatchTables } from '../tables.ts';
import { type FileNotes, notesOn } from './kept-file-store.ts';

type Trx = WriteTransaction<DispatchTables>;

/** What is left out stays as it is. */
export interface MarkChange {
  starred?: boolean | undefined;
  caption?: string | undefined;
  /** Takes the place of all tags. */
  tags?: readonly string[] | undefined;
  addTags: readonly string[];
  removeTags: readonly string[];
}

interface MarkedFile {
  id: string;
  createdAt: string;
}

/** The stars, captions and tags of files. Only their owner sets them. */
export class FileMarkStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Marks all of these files alike. Throws when one of them is not a file of this user. */
  async change(
    user: string,
    fileIds: readonly string[],
    change: MarkChange,
  ): Promise<{ files: MarkedFile[]; notes: Map<string, FileNotes> }> {
    return this.#database.write(async (trx) => {
      const { dialect } = this.#database;
      const files = await lockOwnFiles(trx, { dialect, user, fileIds });
      const { starred, caption } = change;
      if (starred !== undefined || caption !== undefined) await this.#mark(trx, fileIds, change);
      await this.#tag(trx, fileIds, change);
      return { files, notes: await notesOn(trx, fileIds) };
    });
  }

  async tags(user: string, limit: number): Promise<{ tag: string; count: number }[]> {
    const rows = await this.#database.read
      .selectFrom('file_tags')
      .select(['tag', ({ fn }) => fn.countAll<number>().as('count')])
      .where('owner', '=', user)
      .groupBy('tag')
      .orderBy('count', 'desc')
      .orderBy('tag')
      .limit(limit)
      .execute();
    return rows.map(({ tag, count }) => ({ tag, count: Number(count) }));
  }

  async #mark(trx: Trx, fileIds: readonly string[], { starred, caption }: MarkChange): Promise<void> {
    const star = sql.lit(starred ? 1 : 0);
    const words = sql.val(caption ?? '');
    await trx
      .insertInto('file_marks')
      .columns(['fileId', 'owner', 'starred', 'caption', 'createdAt'])
      .expression((select) =>
        select
          .selectFrom('files')
          .select(['id', 'owner', star.as('starred'), sql<string>`cast(${words} as text)`.as('caption')])
          .select('createdAt')
          .where('id', 'in', [...fileIds]),
      )
      .onConflict((conflict) =>
        conflict.column('fileId').doUpdateSet(({ ref }) => ({
          ...(starred !== undefined && { starred: ref('excluded.starred') }),
          ...(caption !== undefined && { caption: ref('excluded.caption') }),
        })),
      )
      .execute();
    await trx
      .deleteFrom('file_marks')
      .where(isOneOf(this.#database.dialect, { column: 'fileId', values: fileIds }))
      .where('starred', '=', 0)
      .where('caption', '=', '')
      .execute();
  }

  async #tag(trx: Trx, fileIds: readonly string[], { tags, addTags, removeTags }: MarkChange): Promise<void> {
    const { dialect } = this.#database;
    const ofThese = isOneOf(dialect, { column: 'fileId', values: fileIds });
    const gone = trx.deleteFrom('file_tags').where(ofThese);
    if (tags !== undefined) await gone.execute();
    else if (removeTags.length > 0) await gone.where('tag', 'in', removeTags).execute();
    const added = new Set([...(tags ?? []), ...addTags]);
    if (added.size === 0) return;
    for (const tag of added)
      await trx
        .insertInto('file_tags')
        .columns(['fileId', 'tag', 'owner', 'createdAt'])
        .expression((select) =>
          select
            .selectFrom('files')
            .select(['id', sql<string>`cast(${tag} as text)`.as('tag'), 'owner', 'createdAt'])
            .where('id', 'in', [...fileIds]),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    const full = await trx
      .selectFrom('file_tags')
      .select(['fileId', ({ fn }) => fn.countAll<number>().as('count')])
      .where(ofThese)
      .groupBy('fileId')
      .having(({ fn }) => fn.countAll(), '>', markLimits.tags)
      .executeTakeFirst();
    if (full)
      throw new AppError('tag_limit', {
        message: `A file has at most ${markLimits.tags} tags, and ${full.fileId} would have ${full.count}. Take some off first.`,
      });
  }
}

/** Locks files of this user until the unit ends. Throws when one of them is not a file of this user. */
export async function lockOwnFiles(
  trx: Trx,
  {
    dialect,
    user,
    fileIds,
  }: { dialect: Database<unknown>['dialect']; user: string; fileIds: readonly string[] },
): Promise<MarkedFile[]> {
  const files = await trx
    .selectFrom('files')
    .select(['id', 'createdAt'])
    .where('owner', '=', user)
    .where('id', 'in', [...fileIds])
    .orderBy('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate())
    .execute();
  const own = new Set(files.map(({ id }) => id));
  const missing = fileIds.find((id) => !own.has(id));
  if (missing !== undefined)
    throw new AppError('file_not_found', { message: `There is no file ${missing} among your files.` });
  return files;
}
