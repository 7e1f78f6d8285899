import { sql } from 'kysely';
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
    return this.#files(owner).where(this.#isIn('id', fileIds)).execute();
  }

  async outputsOf(owner: Owner, taskIds: readonly string[], limit: number): Promise<FileRow[]> {
    return this.#files(owner)
      .where(this.#isIn('taskId', taskIds))
      .orderBy('taskId')
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /** The oldest output with each of these contents. */
  async firstOutputsWith(owner: Owner, sha256s: readonly string[]): Promise<FileRow[]> {
    const ranked = this.#files(owner)
      .select(
        sql<number>`row_number() over (partition by ${sql.ref('sha256')} order by ${sql.ref('createdAt')}, ${sql.ref('id')})`.as(
          'place',
        ),
      )
      .where('source', '=', 'output')
      .where(this.#isIn('sha256', sha256s))
      .as('ranked');
    const rows = await this.#database.read.selectFrom(ranked).selectAll().where('place', '=', 1).execute();
    return rows.map(({ place: _ofItsContent, ...row }) => row);
  }

  /** The newest file with each of these contents. */
  async newestWith(owner: Owner, sha256s: readonly string[]): Promise<FileRow[]> {
    const rows = await this.#files(owner)
      .where(this.#isIn('sha256', sha256s))
      .orderBy('createdAt')
      .orderBy('id')
      .execute();
    return [...new Map(rows.map((row) => [row.sha256, row])).values()];
  }

  /** Which tasks of the owner were given one of these contents. */
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

  #files(owner: Owner) {
    const checked = requireOwner(owner);
    return this.#database.read
      .selectFrom('files')
      .selectAll()
      .$if('user' in checked, (query) => query.where('owner', '=', 'user' in checked ? checked.user : ''));
  }

  #isIn(column: string, values: readonly string[]) {
    return isOneOf(this.#database.dialect, { column, values });
  }
}
