import type { Database } from '../../platform/database/database.ts';
import type { Checkpointer } from './saver.ts';

/**
 * Opens the checkpointer over a database that has its tables (`checkpointMigrations`). It loads LangChain, which takes a third of
 * a second and 45 MB. So it is called when the first agent is used, and not when the gateway starts.
 */
export async function openCheckpointer(database: Database<unknown>): Promise<Checkpointer> {
  const saver = await import('./saver.ts');
  return new saver.Checkpointer(database);
}
