import type { GraphStates } from '../../../agents/state/graph-state.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { StreamLog } from '../../../platform/stream-log/stream-log.ts';
import type { RunRow } from '../../tables.ts';
import { failureOf } from '../records/run.ts';
import type { RunClaimStore } from '../records/run-claim-store.ts';
import { finalEvents, idsBefore } from '../records/run-frames.ts';
import { valuesOfRun } from '../records/values-of-run.ts';

/** A process that lives announces the end of a run at once. */
const overdueMs = 5_000;

/**
 * Tells readers the ends of runs whose process died right after it had stored the end. No one takes up such a run, so its stream
 * would stay open for ever.
 */
export class LateEnds {
  readonly #options;

  constructor(options: {
    streamLog: Pick<StreamLog, 'followed' | 'isEnded' | 'begin' | 'append' | 'end'>;
    claims: Pick<RunClaimStore, 'find'>;
    states: Pick<GraphStates, 'current'>;
    clock: Clock;
  }) {
    this.#options = options;
  }

  /** Looks at the streams that readers here follow. */
  async sweep(): Promise<void> {
    const { streamLog, claims } = this.#options;
    for (const runId of streamLog.followed) {
      const run = await claims.find(runId);
      if (run && this.#isOverdue(run) && !(await streamLog.isEnded(runId))) await this.#tell(run);
    }
  }

  #isOverdue({ ended_at: endedAt }: RunRow): boolean {
    return endedAt !== null && Date.parse(endedAt) + overdueMs <= this.#options.clock();
  }

  /** The last frames may be lost with the process that made them, so one frame has the whole state. */
  async #tell(run: RunRow): Promise<void> {
    const { streamLog, states } = this.#options;
    const { run_id: runId, attempt } = run;
    const values = await valuesOfRun(states, run);
    streamLog.begin(runId, { base: idsBefore(attempt + 1) });
    for (const { event, data } of finalEvents(values, failureOf(run))) streamLog.append(runId, event, data);
    streamLog.end(runId);
  }
}
