import { addEvents } from '../conversation/journal/run-event-store.ts';
import { admitRun } from '../conversation/runs/run-admission.ts';
import { confirmClaim } from '../conversation/runs/run-claim-store.ts';
import { endClaimedRun } from '../conversation/runs/run-end.ts';
import { createThread } from '../conversation/threads/thread-store.ts';
import { addCheckpoints } from '../platform/database/checkpointer/add-checkpoints.ts';
import type { AnyProcedure } from '../platform/database/procedure.ts';

/** Everything that the thread that writes to SQLite can be asked to do. */
export const procedures: readonly AnyProcedure[] = [
  createThread,
  admitRun,
  confirmClaim,
  endClaimedRun,
  addCheckpoints,
  addEvents,
];
