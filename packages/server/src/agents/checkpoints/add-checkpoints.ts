import type { WriteTransaction } from '../../platform/database/database.ts';
import { dialectOf } from '../../platform/database/dialect.ts';
import type { CheckpointRows } from './checkpoint-batch.ts';
import { CheckpointStore } from './checkpoint-store.ts';
import type { CheckpointTables } from './tables.ts';

/**
 * Adds rows inside a unit of the process that runs the thread. The manifests of the rows refer to stored values, so the thread
 * must not be pruned between the reading of the manifests and this. The process that runs a thread has it to itself.
 */
export async function addCheckpoints(
  trx: WriteTransaction<CheckpointTables>,
  rows: CheckpointRows,
): Promise<void> {
  const store = new CheckpointStore(dialectOf(trx));
  await Promise.all([store.lock(trx, rows.threadId, 'shared'), store.add(trx, rows)]);
}
