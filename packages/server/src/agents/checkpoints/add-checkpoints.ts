import { dialectOf } from '../../platform/database/dialect.ts';
import { Procedure } from '../../platform/database/procedure.ts';
import type { CheckpointRows } from './checkpoint-batch.ts';
import { CheckpointStore } from './checkpoint-store.ts';
import type { CheckpointTables } from './tables.ts';

/**
 * Part of a unit of whoever runs the thread. Nobody may prune it between the reading of the manifests that the rows were
 * made with and this; whoever runs a thread has it alone.
 */
export const addCheckpoints = new Procedure<CheckpointTables, CheckpointRows, void>(
  'checkpoints.add',
  async (trx, rows) => {
    const store = new CheckpointStore(dialectOf(trx));
    await store.lock(trx, rows.threadId, 'shared');
    await store.add(trx, rows);
  },
);
