import { expect, it } from 'vitest';
import { pageOf } from '../../lib/timeline-page.ts';
import type { RunSpanRow } from '../tables.ts';
import { ModelPrices } from '../usage/costs.ts';
import { spanOfRow, spansOfRun } from './run-span-view.ts';
import type { TimedRun } from './run-timeline-store.ts';

const at = '2030-01-01T00:00:00.000Z';

it('the spans of a run stand in their order where all begin in the same millisecond', () => {
  const prices = new ModelPrices([]);
  const run: TimedRun = {
    run_id: 'r',
    thread_id: 't',
    user_id: 'u',
    assistant_id: 'lead_agent',
    status: 'success',
    attempt: 1,
    cancel_action: null,
    token_usage_by_model: '{}',
    created_at: at,
    run_at: at,
    started_at: at,
    ended_at: at,
  };
  const calls = [callOf('tool', 2), callOf('model', 1)].map((row) => spanOfRow(row, { run, prices }));
  const page = pageOf([...calls, ...spansOfRun(run, prices).reverse()], { after: null, limit: 10 });
  expect(page.spans.map(({ kind }) => kind)).toEqual(['run', 'queue', 'model', 'tool']);
});

function callOf(kind: RunSpanRow['kind'], number: number): RunSpanRow {
  return {
    run_id: 'r',
    thread_id: 't',
    span_id: `r.${1_000_000 + number}`,
    parent_id: null,
    attempt: 1,
    kind,
    name: null,
    tool_call_id: null,
    task_id: null,
    usage: null,
    revision: number,
    started_at: at,
    ended_at: at,
    state: 'success',
  };
}
