import { expect, it } from 'vitest';
import { Metrics } from '../../../platform/telemetry/metrics.ts';
import type { RunRow } from '../../tables.ts';
import { RunMetrics } from './run-metrics.ts';

const ended = {
  status: 'success',
  stop_reason: null,
  created_at: '2026-11-27T12:00:00.000Z',
  started_at: '2026-11-27T12:00:02.000Z',
  ended_at: '2026-11-27T12:00:12.000Z',
  attempt: 1,
} as RunRow;

async function seriesAfter(work: (measured: RunMetrics) => void): Promise<string[]> {
  const metrics = new Metrics({ version: 'test' });
  const clock = () => Date.parse('2026-11-27T12:00:03.000Z');
  work(new RunMetrics({ metrics, measureCall: () => undefined, clock }));
  const lines = (await metrics.render()).split('\n');
  metrics.close();
  return lines.filter((line) => /^switchyard_run(s_total|\w*_seconds_(sum|count))[{ ]/.test(line));
}

it('counts runs by their end and by known causes alone, and those that have begun with their times', async () => {
  const series = await seriesAfter((measured) => {
    measured.ended(ended);
    measured.ended({ ...ended, status: 'timeout', stop_reason: 'timeout' });
    measured.ended({ ...ended, stop_reason: 'a reason of own code' });
    measured.ended({ ...ended, status: 'interrupted', stop_reason: 'cancelled', started_at: null });
  });
  expect(series).toEqual([
    'switchyard_runs_total{status="success",cause="none"} 1',
    'switchyard_runs_total{status="timeout",cause="timeout"} 1',
    'switchyard_runs_total{status="success",cause="other"} 1',
    'switchyard_runs_total{status="interrupted",cause="cancelled"} 1',
    'switchyard_run_wait_seconds_sum 6',
    'switchyard_run_wait_seconds_count 3',
    'switchyard_run_first_token_seconds_sum 0',
    'switchyard_run_first_token_seconds_count 0',
    'switchyard_run_seconds_sum 30',
    'switchyard_run_seconds_count 3',
  ]);
});

it('measures the first token of a run once, and not that of a run that was taken up again', async () => {
  const series = await seriesAfter((measured) => {
    const first = measured.meterOf(ended);
    first.answerBegins();
    first.answerBegins();
    measured.meterOf({ ...ended, attempt: 2 }).answerBegins();
  });
  expect(series).toEqual(
    expect.arrayContaining([
      'switchyard_run_first_token_seconds_sum 3',
      'switchyard_run_first_token_seconds_count 1',
    ]),
  );
});
