import type { AgentTables } from '../src/agents/store/tables.ts';
import { conversationMigrations } from '../src/conversation/migrations.ts';
import type { Database } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../src/platform/database/open.ts';

/** Opens a database with the tables of the agent runtime, which the migrations of conversation create. */
export async function openAgentTables(
  options: DatabaseOptions = { backend: 'memory' },
): Promise<Database<AgentTables>> {
  const opened = await openDatabase(options);
  await migrate(opened, 'conversation', conversationMigrations);
  return opened.withTables<AgentTables>();
}
