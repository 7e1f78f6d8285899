import type { SelectQueryBuilder } from 'kysely';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { FileRow } from '../files/stored-file-store.ts';
import type { DispatchTables, TaskRow, TaskSourceTable } from '../tables.ts';

export type LineageTaskRow = Pick<
  TaskRow,
  'id' | 'name' | 'status' | 'instanceId' | 'workflowId' | 'createdAt'
>;

/** One generation at a time: what these tasks were given and made, and what these files were used for. */
export class LineageStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  async sourcesOf(taskIds: readonly string[], limit: number): Promise<TaskSourceTable[]> {
    return this.#database.read
      .selectFrom('task_sources')
      .selectAll()
      .where(this.#isIn('taskId', taskIds))
      .orderBy('taskId')
      .orderBy('fileId')
      .limit(limit)
      .execute();
  }

  async files(owner: Owner, fileIds: readonly string[]): Promise<FileRow[]> {
    const rows = await this.#files().where(this.#isIn('id', fileIds)).execute();
    return visibleTo(owner, rows);
  }

  async outputsOf(owner: Owner, taskIds: readonly string[], limit: number): Promise<FileRow[]> {
    const rows = await this.#files()
      .where(this.#isIn('taskId', taskIds))
      .orderBy('taskId')
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit)
      .execute();
    return visibleTo(owner, rows);
  }

  /** The oldest output with each of these contents. */
  async firstOutputsWith(owner: string, sha256s: readonly string[]): Promise<FileRow[]> {
    const outputs = this.#ofContents(owner, sha256s).where('source', '=', 'output');
    return this.#firstOfEach(outputs, 'asc');
  }

  /** The newest file with each of these contents. */
  async newestWith(owner: string, sha256s: readonly string[]): Promise<FileRow[]> {
    return this.#firstOfEach(this.#ofContents(owner, sha256s), 'desc');
  }

  /** Returns the tasks of the owner that were given one of these contents. */
  async usesOf(
    owner: string,
    sha256s: readonly string[],
    limit: number,
  ): Promise<Pick<TaskSourceTable, 'taskId' | 'sha256'>[]> {
    return this.#database.read
      .selectFrom('task_sources')
      .select(['taskId', 'sha256'])
      .distinct()
      .where('owner', '=', owner)
      .where(this.#isIn('sha256', sha256s))
      .orderBy('taskId')
      .limit(limit)
      .execute();
  }

  async tasks(taskIds: readonly string[]): Promise<LineageTaskRow[]> {
    return this.#database.read
      .selectFrom('tasks')
      .select(['id', 'name', 'status', 'instanceId', 'workflowId', 'createdAt'])
      .where(this.#isIn('id', taskIds))
      .execute();
  }

  #ofContents(owner: string, sha256s: readonly string[]) {
    return this.#files().where('owner', '=', owner).where(this.#isIn('sha256', sha256s));
  }

  async #firstOfEach(
    files: SelectQueryBuilder<DispatchTables, 'files', FileRow>,
    order: 'asc' | 'desc',
  ): Promise<FileRow[]> {
    const ranked = files
      .select((select) =>
        select.fn
          .agg<number>('row_number')
          .over((over) => over.partitionBy('sha256').orderBy('createdAt', order).orderBy('id', order))
          .as('place'),
      )
      .as('ranked');
    const rows = await this.#database.read.selectFrom(ranked).selectAll().where('place', '=', 1).execute();
    return rows.map(({ place: _ofItsContent, ...row }) => row);
  }

  #files() {
    return this.#database.read.selectFrom('files').selectAll();
  }

  #isIn(column: string, values: readonly string[]) {
    return isOneOf(this.#database.dialect, { column, values });
  }
}

/**
 * Looked at here and not in the statement: a database that knows nothing of its rows takes the owner to be the rarer
 * value, and reads all files of the owner.
 */
function visibleTo(owner: Owner, rows: FileRow[]): FileRow[] {
  const checked = requireOwner(owner);
  return 'user' in checked ? rows.filter((row) => row.owner === checked.user) : rows;
}
