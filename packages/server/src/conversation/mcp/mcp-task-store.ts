import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { ConversationTables, McpTaskRow } from '../tables.ts';

/** The tasks on MCP servers that calls of tools wait for, so that a call that is made again finds its task. */
export class McpTaskStore {
  readonly #database: Pick<Database<ConversationTables>, 'read' | 'write'>;

  constructor(database: Pick<Database<ConversationTables>, 'read' | 'write'>) {
    this.#database = database;
  }

  async find(callKey: string): Promise<McpTaskRow | undefined> {
    return this.#database.read
      .selectFrom('mcp_tasks')
      .selectAll()
      .where('call_key', '=', callKey)
      .executeTakeFirst();
  }

  async ofRun(runId: string): Promise<McpTaskRow[]> {
    return this.#database.read.selectFrom('mcp_tasks').selectAll().where('run_id', '=', runId).execute();
  }

  async add(row: McpTaskRow): Promise<void> {
    await this.#database.write(async (trx) => {
      await trx.insertInto('mcp_tasks').values(row).execute();
    });
  }

  /** The call is made again, by another run of its thread. */
  async takeOver(callKey: string, runId: string): Promise<void> {
    await this.#database.write(async (trx) => {
      await trx.updateTable('mcp_tasks').set({ run_id: runId }).where('call_key', '=', callKey).execute();
    });
  }

  async noteAnswer(callKey: string, answers: number): Promise<void> {
    await this.#database.write(async (trx) => {
      await trx.updateTable('mcp_tasks').set({ answers }).where('call_key', '=', callKey).execute();
    });
  }

  async remove(callKey: string): Promise<void> {
    await this.#database.write(async (trx) => {
      await trx.deleteFrom('mcp_tasks').where('call_key', '=', callKey).execute();
    });
  }
}

/** Part of a unit: the thread is deleted. */
export async function forgetMcpTasks(
  trx: WriteTransaction<ConversationTables>,
  threadId: string,
): Promise<void> {
  await trx.deleteFrom('mcp_tasks').where('thread_id', '=', threadId).execute();
}
