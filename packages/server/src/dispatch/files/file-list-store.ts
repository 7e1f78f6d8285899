import type { FileKind } from '@switchyard/contract/dispatch/file';
import type { Expression, ExpressionBuilder, RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { typesOfKind, wordsOfRow } from '../graphs/file-words.ts';
import type { DispatchTables } from '../tables.ts';
import { countCeiling } from '../tasks/task-list-store.ts';
import { filesWithWords, foundFiles, hasWords } from './file-text-store.ts';
import {
  type FileNotes,
  filtersNotes,
  hasNotes,
  type NotesFilter,
  notedFiles,
  notesOn,
} from './kept-file-store.ts';
import { type FilePlace, type FileRow, fileColumns, visibleTo } from './stored-file-store.ts';

export interface FileFilter extends NotesFilter {
  source?: FileRow['source'] | undefined;
  kind?: FileKind | undefined;
  taskId?: string | undefined;
  workflowId?: string | undefined;
  owner?: string | undefined;
  /** The bounds of the time at which it was stored. */
  since?: string | undefined;
  until?: string | undefined;
  /** The name or the id of the saved workflow. */
  workflow?: string | undefined;
  /** All words that a file must have. */
  words?: readonly string[] | undefined;
  sizes?: readonly SizeBound[] | undefined;
}

export interface SizeBound {
  of: 'width' | 'height' | 'pixels' | 'size';
  /** The value itself is within the bound. */
  compare: '>=' | '<=';
  value: number;
}

export interface FilePage extends FileFilter {
  limit: number;
  offset: number;
  /** The last file of the page before. */
  after?: FilePlace | undefined;
}

/** A search first looks at so many of the newest files: a frequent word fills the page with them. */
const maxWalked = 500;
/** Users with more files get "at least" for a page that was filled without the index. */
const maxCounted = 10_000;
const maxLookedUp = 1_000;

type PageOfList = Pick<FilePage, 'limit' | 'offset' | 'after'>;
type OfFile = (file: ExpressionBuilder<DispatchTables, 'files'>) => Expression<SqlBool>;

interface Limits {
  maxWalked: number;
  maxCounted: number;
}

interface Total {
  total: number;
  isMinimum: boolean;
}

/** Lists of files, and the search in them. */
export class FileListStore {
  readonly #database: Database<DispatchTables>;
  readonly #limits: Limits;

  constructor(database: Database<DispatchTables>, limits: Limits = { maxWalked, maxCounted }) {
    this.#database = database;
    this.#limits = limits;
  }

  /** A page and how many files fit in all, at one moment. */
  async list(
    owner: Owner,
    { filter, ...page }: Pick<FilePage, 'limit' | 'offset' | 'after'> & { filter: FileFilter },
  ): Promise<{ rows: FileRow[]; notes: Map<string, FileNotes> } & Total> {
    return this.#database.snapshot(async (frozen) => {
      const store = new FileListStore(frozen.withTables(), this.#limits);
      const { rows, total } = await store.#listed(owner, { ...filter, ...page });
      const ids = rows.map(({ id }) => id);
      const isWhole = page.after === undefined && page.offset === 0 && rows.length < page.limit;
      const counted = isWhole ? { total: rows.length, isMinimum: false } : await total();
      return { rows, notes: await notesOn(frozen.withTables<DispatchTables>().read, ids), ...counted };
    });
  }

  /** A page of the files that fit, the newest first. */
  async page(owner: Owner, page: FilePage): Promise<FileRow[]> {
    return this.#database.snapshot(async (frozen) => {
      const { rows } = await new FileListStore(frozen.withTables(), this.#limits).#listed(owner, page);
      return rows;
    });
  }

  /**
   * Files with frequent words are among the newest ones, whose rows decide. All others are read from the index of words, which has no
   * order.
   */
  async #listed(
    owner: Owner,
    { limit, offset, after, ...filter }: FilePage,
  ): Promise<{ rows: FileRow[]; total: () => Promise<Total> }> {
    const page = { limit, offset, after };
    const { words, source, kind, workflowId, starred, tag, collectionId, ...besides } = filter;
    if (words === undefined) {
      const noted = notedFiles(filter, {
        dialect: this.#database.dialect,
        user: userOf(owner, filter),
        columns: fileColumns,
      });
      const rows = await this.#fitting(owner, noted?.others ?? filter, noted?.files)
        .selectAll()
        .$call((files) => pageOf(files, page))
        .execute();
      return { rows, total: () => this.#total(owner, filter, noted) };
    }
    const { maxWalked } = this.#limits;
    const isIn: OfFile = (file) =>
      file.and([
        hasWords([...wordsOfRow({ source, kind, workflowId }), ...words], this.#database.dialect)(file),
        hasNotes({ starred, tag, collectionId }, userOf(owner, filter))(file),
      ]);
    const newest = this.#fitting(owner, besides)
      .select(['files.id', 'files.createdAt'])
      .select((file) => sql<number>`case when ${isIn(file)} then 1 else 0 end`.as('fits'))
      .$call((files) => pageOf(files, { after, offset: 0, limit: maxWalked }));
    const walked = await this.#chosen(sql`chosen as materialized ${newest}`, page);
    if (walked.rows.length === limit || walked.count < maxWalked)
      return {
        rows: walked.rows,
        total: () => this.#totalFound(owner, { ...filter, words }, offset + walked.fits),
      };
    const { rows, fits } = await this.#chosen(this.#found(owner, { ...filter, words }), page);
    return { rows, total: async () => ({ total: fits, isMinimum: false }) };
  }

  /** Returns a page of those of the table `chosen` that fit, how many it has of them, and how many in all. */
  async #chosen(
    tables: RawBuilder<unknown>,
    page: PageOfList,
  ): Promise<{ rows: FileRow[]; fits: number; count: number }> {
    const { read } = this.#database;
    const chosen = read.selectFrom(sql<FileRow>`chosen`.as('files')) as ReturnType<
      typeof read.selectFrom<'files'>
    >;
    const ids = pageOf(chosen.select('files.id').where(sql.ref('fits'), '=', 1), page);
    const { rows } = await sql<FileRow & Record<'fits' | 'count', number | string | null>>`with ${tables}
      select counted.*, files.* from (select count(*) as count, sum(fits) as fits from chosen) as counted
      left join ${ids} as page on true left join files on files.id = page.id
      order by files."createdAt" desc, files.id desc`.execute(read);
    return {
      rows: rows.flatMap(({ count: _, fits: __, ...row }) => (row.id === null ? [] : [row])),
      fits: Number(rows[0]?.fits ?? 0),
      count: Number(rows[0]?.count),
    };
  }

  /** Returns the table `chosen` of the files that the index of words finds. */
  #found(owner: Owner, filter: FileFilter & { words: readonly string[] }): RawBuilder<unknown> {
    const { dialect } = this.#database;
    const { words, source, kind, workflowId, since, until, owner: wanted, ...others } = filter;
    const ofRow = wordsOfRow({ owner: userOf(owner, filter), source, kind, workflowId });
    const found = filesWithWords([...ofRow, ...words], { dialect, since, until });
    const isDecided = Object.values(others).every((value) => value === undefined);
    if (isDecided) return sql`chosen as materialized ${found}`;
    const fitting = this.#fitting(owner, { ...others, owner: wanted }, foundFiles(dialect)).select([
      'files.id',
      'files.createdAt',
      sql<number>`1`.as('fits'),
    ]);
    return sql`found as materialized ${found}, chosen as materialized ${fitting}`;
  }

  /**
   * Returns the exact total from kept counts when only the owner filters, and from the index of a note when only that does; otherwise
   * counts up to a ceiling.
   */
  async #total(
    owner: Owner,
    filter: FileFilter,
    noted: ReturnType<typeof notedFiles<FileFilter>>,
  ): Promise<Total> {
    const { read } = this.#database;
    const conditions = noted?.others ?? filter;
    const { owner: wanted, ...others } = conditions;
    if (Object.values(others).every((value) => value === undefined)) {
      if (noted === undefined) return { total: await this.#countOf(owner, wanted), isMinimum: false };
      const { rows } = await noted.count.execute(read);
      return { total: Number(rows[0]?.count), isMinimum: false };
    }
    // The row of each file with a note is looked up, and what keeps a file in several tables.
    const isLookedUp = noted !== undefined || filter.unkeptBefore !== undefined;
    const ceiling = isLookedUp ? maxLookedUp : countCeiling;
    const matching = this.#fitting(owner, conditions, noted?.files)
      .select('files.id')
      .limit(ceiling + 1)
      .as('matching');
    const { count } = await read
      .selectFrom(matching)
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return { total: Math.min(Number(count), ceiling), isMinimum: Number(count) > ceiling };
  }

  /** Returns the exact total among few files; among many, there are at least as many as were seen. */
  async #totalFound(
    owner: Owner,
    filter: FileFilter & { words: readonly string[] },
    seen: number,
  ): Promise<Total> {
    if ((await this.#countOf(owner, filter.owner)) > this.#limits.maxCounted)
      return { total: seen, isMinimum: true };
    const { rows } = await sql<{ total: number | string }>`with ${this.#found(owner, filter)}
      select count(*) as total from chosen`.execute(this.#database.read);
    return { total: Number(rows[0]?.total), isMinimum: false };
  }

  #fitting(owner: Owner, filter: FileFilter, from?: RawBuilder<unknown>) {
    const { read } = this.#database;
    // The alias has the columns of the table.
    const files = from === undefined ? read.selectFrom('files') : read.selectFrom(from.as('files'));
    const user = userOf(owner, filter);
    return filtered(visibleTo(owner, files as ReturnType<typeof read.selectFrom<'files'>>), filter).$if(
      filtersNotes(filter),
      (query) => query.where(hasNotes(filter, user)),
    );
  }

  async #countOf(owner: Owner, wanted: string | undefined): Promise<number> {
    const checked = requireOwner(owner);
    const { count } = await this.#database.read
      .selectFrom('file_usage')
      .select((select) => select.fn.sum<number | null>('count').as('count'))
      .$if('user' in checked, (query) => query.where('owner', '=', 'user' in checked ? checked.user : ''))
      .$if(wanted !== undefined, (query) => query.where('owner', '=', wanted ?? ''))
      .executeTakeFirstOrThrow();
    return Number(count ?? 0);
  }
}

function pageOf<Output>(
  query: SelectQueryBuilder<DispatchTables, 'files', Output>,
  { limit, offset, after }: PageOfList,
): SelectQueryBuilder<DispatchTables, 'files', Output> {
  const { createdAt = '', id = '' } = after ?? {};
  return query
    .$if(after !== undefined, (files) =>
      files.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('files.createdAt', 'files.id'), '<', tuple(createdAt, id)),
      ),
    )
    .orderBy('files.createdAt', 'desc')
    .orderBy('files.id', 'desc')
    .limit(limit)
    .offset(offset) as typeof query;
}

function userOf(owner: Owner, { owner: wanted }: FileFilter): string | undefined {
  const checked = requireOwner(owner);
  return 'user' in checked ? checked.user : wanted;
}

function filtered<Output>(
  query: SelectQueryBuilder<DispatchTables, 'files', Output>,
  page: FileFilter,
): SelectQueryBuilder<DispatchTables, 'files', Output> {
  return query
    .$if(page.source !== undefined, (q) => q.where('files.source', '=', page.source ?? 'upload'))
    .$if(page.taskId !== undefined, (q) => q.where('files.taskId', '=', page.taskId ?? ''))
    .$if(page.workflowId !== undefined, (q) => q.where('files.workflowId', '=', page.workflowId ?? ''))
    .$if(page.owner !== undefined, (q) => q.where('files.owner', '=', page.owner ?? ''))
    .$if(page.since !== undefined, (q) => q.where('files.createdAt', '>=', page.since ?? ''))
    .$if(page.until !== undefined, (q) => q.where('files.createdAt', '<=', page.until ?? ''))
    .$if(page.kind !== undefined, (q) => q.where(isOfKind(page.kind ?? 'other')))
    .$if(page.workflow !== undefined, (q) => q.where(isOfWorkflow(page.workflow ?? '')))
    .$call((q) => (page.sizes ?? []).reduce(within, q));
}

const sizeColumns = {
  width: sql<number>`"files"."width"`,
  height: sql<number>`"files"."height"`,
  // As the index has it.
  pixels: sql<number>`(cast("width" as bigint) * "height")`,
  size: sql<number>`"files"."size"`,
};

function within<Output>(
  query: SelectQueryBuilder<DispatchTables, 'files', Output>,
  { of, compare, value }: SizeBound,
): SelectQueryBuilder<DispatchTables, 'files', Output> {
  return query.where(sizeColumns[of], compare, value);
}

/** By its id also when it was deleted. */
function isOfWorkflow(workflow: string): Expression<SqlBool> {
  return sql<SqlBool>`"files"."workflowId" in (
    select id from saved_workflows where name = ${workflow} union all select cast(${workflow} as text))`;
}

function isOfKind(kind: FileKind): OfFile {
  return (eb) => {
    const isLike = (types: string[]) =>
      eb.or(types.map((type) => eb('files.contentType', 'like', `${type}%`)));
    if (kind !== 'other') return isLike(typesOfKind[kind]);
    return eb.not(isLike(Object.values(typesOfKind).flat()));
  };
}
