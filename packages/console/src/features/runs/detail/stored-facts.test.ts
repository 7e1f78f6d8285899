import type { Run } from '@switchyard/contract/conversation/run';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { describe, expect, it } from 'vitest';
import type { TimelineSpan } from '../../../kit/timeline/span.ts';
import { totalsOf } from '../run-totals.ts';
import { bytesBeforeCut, eventBody, eventLine } from './event-text.ts';
import { eventsOf } from './span-events.ts';

const startMs = Date.parse('2026-01-01T00:00:00Z');
const span = (kind: TimelineSpan['kind'], more: Partial<TimelineSpan> = {}): TimelineSpan => ({
  id: kind,
  parentId: null,
  kind,
  name: kind,
  attempt: null,
  startMs,
  endMs: startMs + 1_000,
  state: 'success',
  tokens: null,
  cost: null,
  currency: null,
  simulated: false,
  workerSeconds: null,
  toolCallId: null,
  taskId: null,
  instanceName: null,
  ...more,
});
const event = (event_type: string, more: Partial<RunEvent> = {}): RunEvent => ({
  thread_id: 't',
  run_id: 'r',
  user_id: 'u',
  event_type,
  category: 'trace',
  content: '',
  metadata: {},
  seq: 1,
  created_at: '2026-01-01T00:00:00.500Z',
  ...more,
});

describe('the events of a span', () => {
  it('are those of its call, also when the id stands in the message', () => {
    const own = event('tool_start', { metadata: { tool_call_id: 'c' } });
    const result = event('tool_result', { content: { tool_call_id: 'c' } });
    const other = event('tool_start', { metadata: { tool_call_id: 'd' } });
    expect(eventsOf(span('tool', { toolCallId: 'c' }), [own, other, result])).toEqual([own, result]);
  });

  it('are, for a model call, its request and answer by their time', () => {
    const own = event('llm_request');
    const later = event('llm_request', { created_at: '2026-01-01T00:00:05Z' });
    expect(eventsOf(span('model'), [own, later, event('tool_start')])).toEqual([own]);
  });

  it('are, for a task, those that name it', () => {
    const own = event('worker_task_completed', { metadata: { task_id: 'x' } });
    expect(eventsOf(span('task', { taskId: 'x' }), [own, event('worker_task_failed')])).toEqual([own]);
  });
});

describe('an event in one line', () => {
  it('says the text of a message, and the tools that it calls', () => {
    const content = { content: 'I look.', tool_calls: [{ id: 'c', name: 'ls', args: {} }] };
    expect(eventLine(event('ai_tool_call', { content }))).toBe('I look. · ls');
  });

  it('is cut, however long the event is', () => {
    expect(eventLine(event('tool_end', { content: 'x'.repeat(1_000_000) })).length).toBe(300);
  });

  it('shows the metadata of an event without content', () => {
    expect(eventBody(event('run_end', { metadata: { status: 'success' } }))).toContain('success');
  });

  it('says how much was stored of a text that was cut', () => {
    const metadata = { content_truncated: true, original_byte_length: 99 };
    expect(bytesBeforeCut(event('tool_end', { metadata }))).toBe(99);
    expect(bytesBeforeCut(event('tool_end'))).toBeNull();
  });
});

describe('the totals of a run', () => {
  const run = {
    created_at: '2026-01-01T00:00:00Z',
    started_at: '2026-01-01T00:00:02Z',
    ended_at: '2026-01-01T00:00:12Z',
    total_input_tokens: 5,
    total_output_tokens: 6,
  } as Run;

  it('tell the wait from the work', () => {
    expect(totalsOf(run, [], startMs)).toMatchObject({ queueMs: 2_000, workMs: 10_000 });
    const waiting = { ...run, started_at: null, ended_at: null };
    expect(totalsOf(waiting, [], startMs + 7_000)).toMatchObject({ queueMs: 7_000, workMs: null });
  });

  it('have no cost of workers as soon as one task has no price', () => {
    const priced = span('task', { cost: 1, currency: 'EUR', workerSeconds: 2 });
    expect(totalsOf(run, [priced, priced], startMs)).toMatchObject({ workerCost: 2, workerSeconds: 4 });
    expect(totalsOf(run, [priced, span('task', { workerSeconds: 3 })], startMs).workerCost).toBeNull();
  });
});
