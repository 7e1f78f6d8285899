import { addCheckpoints } from '../agents/checkpoints/add-checkpoints.ts';
import { addEvents } from '../conversation/journal/run-event-store.ts';
import { endClaimedRun } from '../conversation/runs/ending/run-end.ts';
import { admitRun } from '../conversation/runs/intake/run-admission.ts';
import { confirmClaim } from '../conversation/runs/records/run-claim-store.ts';
import { createThread } from '../conversation/threads/thread-store.ts';
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
