import { emptyTally, totalsOf } from '../../journal/run-totals.ts';
import type { RunRow } from '../../tables.ts';

/** The columns of a run to which nothing has happened yet. */
export const unstartedRun = {
  status: 'pending',
  admission: 0,
  run_at: null,
  cancel_action: null,
  cancel_requested_at: null,
  attempt: 0,
  worker_id: null,
  delete_thread: 0,
  webhook: null,
  checkpoint_id: null,
  follow_up_to_run_id: null,
  error: null,
  error_name: null,
  stop_reason: null,
  ...totalsOf(emptyTally()),
  started_at: null,
  ended_at: null,
} as const satisfies Partial<RunRow>;
