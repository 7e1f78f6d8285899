import type { Database } from '../../platform/database/database.ts';
import type { Checkpointer } from './saver.ts';

/**
 * The checkpointer over a database that has its tables (`checkpointMigrations`). Loads LangChain, which takes a third of a
 * second and 45 MB; so it is called when the first agent is, and not at the start of the gateway.
 */
export async function openCheckpointer(database: Database<unknown>): Promise<Checkpointer> {
  const saver = await import('./saver.ts');
  return new saver.Checkpointer(database);
}
