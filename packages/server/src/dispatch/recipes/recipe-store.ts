import type { WorkflowParameter } from '@switchyard/contract/dispatch/workflow';
import { sql } from 'kysely';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import type { FileRow } from '../files/stored-file-store.ts';
import type { DispatchTables, TaskInputRow, TaskRow } from '../tables.ts';
import type { AttemptRow } from '../tasks/attempt-store.ts';

/** A file that a task was given, and the file that has this content now. */
export interface SourceRow {
  fileId: string;
  filename: string;
  sha256: string;
  presentFileId: string | null;
}

/** The rows about the task that made a file. */
export interface RecipeRows {
  task: TaskRow;
  input: TaskInputRow;
  /** The attempt that made the file. */
  attempt: AttemptRow | undefined;
  sources: SourceRow[];
  /** The form of the saved workflow that the task ran; empty without one, and when its version is not kept. */
  form: WorkflowParameter[];
}

interface NamingRows {
  workflows: { id: string; name: string }[];
  inputs: Pick<TaskInputRow, 'taskId' | 'workflow' | 'params'>[];
}

export class RecipeStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Returns undefined for an upload. */
  async ofFile(owner: Owner, file: FileRow): Promise<RecipeRows | undefined> {
    requireOwner(owner);
    const { taskId } = file;
    if (taskId === null) return undefined;
    const { read } = this.#database;
    const [task, input, sources, form] = await Promise.all([
      read.selectFrom('tasks').selectAll().where('id', '=', taskId).executeTakeFirst(),
      read.selectFrom('task_inputs').selectAll().where('taskId', '=', taskId).executeTakeFirst(),
      this.#sourcesOf(taskId),
      this.#formOf(taskId),
    ]);
    if (!task || !input) return undefined;
    const attempt = await read
      .selectFrom('task_attempts')
      .selectAll()
      .where('taskId', '=', taskId)
      .where('attempt', '=', task.attempt)
      .executeTakeFirst();
    return { task, input, attempt, sources, form };
  }

  /** The names of the saved workflows that there still are, and the graphs and params of the tasks that made these files. */
  async forNames(owner: Owner, files: readonly FileRow[]): Promise<NamingRows> {
    requireOwner(owner);
    const { read } = this.#database;
    const idsOf = (idOf: (file: FileRow) => string | null) => [
      ...new Set(files.map((file) => idOf(file) ?? '')),
    ];
    const [workflows, inputs] = await Promise.all([
      read
        .selectFrom('saved_workflows')
        .select(['id', 'name'])
        .where(
          'id',
          'in',
          idsOf(({ workflowId }) => workflowId),
        )
        .execute(),
      read
        .selectFrom('task_inputs')
        .select(['taskId', 'workflow', 'params'])
        .where(
          'taskId',
          'in',
          idsOf(({ taskId }) => taskId),
        )
        .execute(),
    ]);
    return { workflows, inputs };
  }

  async #formOf(taskId: string): Promise<WorkflowParameter[]> {
    const version = await this.#database.read
      .selectFrom('tasks')
      .innerJoin('saved_workflow_versions as version', (join) =>
        join
          .onRef('version.workflowId', '=', 'tasks.workflowId')
          .onRef('version.version', '=', 'tasks.workflowVersion'),
      )
      .select('version.parameters')
      .where('tasks.id', '=', taskId)
      .executeTakeFirst();
    return version ? (JSON.parse(version.parameters) as WorkflowParameter[]) : [];
  }

  /** The same file when it is still there, otherwise the newest one of the owner with its content. */
  async #sourcesOf(taskId: string): Promise<SourceRow[]> {
    return this.#database.read
      .selectFrom('task_sources as source')
      .select(['source.fileId', 'source.filename', 'source.sha256'])
      .select((select) =>
        select
          .selectFrom('files')
          .select('files.id')
          .whereRef('files.sha256', '=', 'source.sha256')
          .whereRef('files.owner', '=', 'source.owner')
          .orderBy(sql`case when files.id = ${sql.ref('source.fileId')} then 0 else 1 end`)
          .orderBy('files.createdAt', 'desc')
          .limit(1)
          .as('presentFileId'),
      )
      .where('source.taskId', '=', taskId)
      .orderBy('source.fileId')
      .execute();
  }
}
