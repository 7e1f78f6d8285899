import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { DispatchTables, TaskInputRow, TaskPromptRow } from '../tables.ts';

/** The names that clients of ComfyUI give to their tasks, and the clients that get their events. */
export class PromptStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Part of the unit that stores the task. Returns false when its owner has given this name to another task. */
  async add(
    trx: WriteTransaction<DispatchTables>,
    row: TaskPromptRow & { workflowId: string | null },
  ): Promise<boolean> {
    const added = await trx
      .insertInto('task_prompts')
      .values(row)
      .onConflict((conflict) => conflict.columns(['owner', 'promptId']).doNothing())
      .executeTakeFirst();
    return added.numInsertedOrUpdatedRows === 1n;
  }

  async find(owner: string, promptId: string): Promise<TaskPromptRow | undefined> {
    return this.#database.read
      .selectFrom('task_prompts')
      .selectAll()
      .where('owner', '=', owner)
      .where('promptId', '=', promptId)
      .executeTakeFirst();
  }

  async of(taskIds: readonly string[]): Promise<Map<string, TaskPromptRow>> {
    if (taskIds.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('task_prompts')
      .selectAll()
      .where(isOneOf(this.#database.dialect, { column: 'taskId', values: taskIds }))
      .execute();
    return new Map(rows.map((row) => [row.taskId, row]));
  }

  /** Returns the inputs of these tasks. */
  async inputsOf(taskIds: readonly string[]): Promise<Map<string, TaskInputRow>> {
    if (taskIds.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('task_inputs')
      .selectAll()
      .where(isOneOf(this.#database.dialect, { column: 'taskId', values: taskIds }))
      .execute();
    return new Map(rows.map((row) => [row.taskId, row]));
  }
}
