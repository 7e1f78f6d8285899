import type { MeasureCall } from '../../../agents/models/model-metrics.ts';
import type { RunMeter } from '../../../agents/run-contract/agent-run.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Metrics } from '../../../platform/telemetry/metrics.ts';
import type { RunRow } from '../../tables.ts';
import type { RunFollower } from '../ending/run-followers.ts';
import type { RunExecutor } from './run-executor.ts';
import type { RunLine } from './run-line.ts';

/** Own code may name any reason, so these alone become labels. */
const causes: ReadonlySet<string> = new Set([
  'timeout',
  'cancelled',
  'rolled_back',
  'orphan_recovered',
  'loop_capped',
]);

/** Counts the runs that this process has ended, so that the sum over all replicas is right. */
export class RunMetrics implements RunFollower {
  readonly #options;

  constructor(options: {
    metrics: Pick<
      Metrics,
      'runsEnded' | 'runWait' | 'runFirstToken' | 'runDuration' | 'runsActive' | 'runsWaiting'
    > &
      Pick<Metrics, 'beforeScrape' | 'fill'>;
    measureCall: MeasureCall;
    clock: Clock;
  }) {
    this.#options = options;
  }

  watch({ executor, line }: { executor: Pick<RunExecutor, 'count'>; line: Pick<RunLine, 'waiting'> }): void {
    const { metrics } = this.#options;
    metrics.beforeScrape(() => metrics.runsActive.set(executor.count));
    metrics.fill(metrics.runsWaiting, async () => (await line.waiting('')).ofAll);
  }

  ended({
    status,
    stop_reason: reason,
    created_at: createdAt,
    started_at: startedAt,
    ended_at: endedAt,
  }: RunRow): void {
    const { metrics } = this.#options;
    const cause = reason === null ? 'none' : causes.has(reason) ? reason : 'other';
    metrics.runsEnded.inc({ status, cause });
    if (startedAt === null || endedAt === null) return;
    metrics.runWait.observe(secondsBetween(createdAt, Date.parse(startedAt)));
    metrics.runDuration.observe(secondsBetween(startedAt, Date.parse(endedAt)));
  }

  /** Returns what takes the facts about an attempt. The wait for the first token counts once for a run that was not interrupted. */
  meterOf({ created_at: createdAt, attempt }: Pick<RunRow, 'created_at' | 'attempt'>): RunMeter {
    const { metrics, measureCall, clock } = this.#options;
    let isAwaited = attempt === 1;
    return {
      modelCall: measureCall,
      answerBegins: () => {
        if (isAwaited) metrics.runFirstToken.observe(secondsBetween(createdAt, clock()));
        isAwaited = false;
      },
    };
  }
}

function secondsBetween(from: string, toMs: number): number {
  return Math.max(toMs - Date.parse(from), 0) / 1000;
}
