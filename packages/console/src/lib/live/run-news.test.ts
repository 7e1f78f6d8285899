import type { RunFrame } from '@switchyard/client/conversation/run-frame';
import { expect, test } from 'vitest';
import { RunNewsReader } from './run-news.ts';

function frame(event: string, data: unknown): RunFrame {
  return { event, data, id: '1', namespace: [] } as RunFrame;
}

const custom = (data: object) => frame('custom', data);
const task = { task_id: 't1', tool_call_id: 'c1' };

test('pieces of an answer become one message, and the state has the last word', () => {
  const reader = new RunNewsReader();
  const piece = (content: string) => frame('messages', [{ type: 'ai', id: 'm1', content }, {}]);
  expect(reader.apply([piece('Hel'), piece('lo')]).messages).toMatchObject([{ id: 'm1', content: 'Hello' }]);
  const state = { messages: [{ type: 'ai', id: 'm1', content: 'Hello!' }], todos: [{ content: 'one' }] };
  const news = reader.apply([frame('values', state)]);
  expect(news.messages).toMatchObject([{ content: 'Hello!' }]);
  expect(news.values).toEqual({ todos: [{ content: 'one' }] });
});

test('two tasks of one turn go on side by side, each under its tool call', () => {
  const reader = new RunNewsReader();
  const other = { task_id: 't2', tool_call_id: 'c2' };
  const { tasks } = reader.apply([
    custom({ type: 'worker_task_progress', ...task, progress: 62, node: 'Scale', instance: 'box-20' }),
    custom({
      type: 'worker_task_failed',
      ...other,
      error: { code: 'cancelled', message: 'It was stopped.' },
    }),
  ]);
  expect(tasks.get('c1')).toMatchObject({ taskId: 't1', progress: 62, node: 'Scale', instanceId: 'box-20' });
  expect(tasks.get('c2')).toMatchObject({ taskId: 't2', error: { code: 'cancelled' } });
});

test('the steps of a sub-agent that come again after a crash stand once', () => {
  const reader = new RunNewsReader();
  const step = (content: string) =>
    custom({
      type: 'task_running',
      task_id: 's1',
      message: { content },
      message_index: 1,
      total_messages: 1,
    });
  const { subagents } = reader.apply([
    custom({ type: 'task_started', task_id: 's1', description: 'Look at the pool' }),
    step('First try'),
    step('Second try'),
    custom({ type: 'task_completed', task_id: 's1', result: 'Two workers.' }),
  ]);
  const { steps, ...rest } = subagents.get('s1') ?? {};
  expect(rest).toEqual({ description: 'Look at the pool', state: 'completed', outcome: 'Two workers.' });
  expect([...(steps ?? [])]).toEqual([[1, { content: 'Second try' }]]);
});

test('a question to a human and an error of the run are kept, and a broken connection is told', () => {
  const reader = new RunNewsReader();
  const asked = { __interrupt__: [{ id: 'i1', value: { action_requests: [] } }] };
  expect(reader.apply([frame('updates', asked)]).interrupts).toMatchObject([{ id: 'i1' }]);
  expect(reader.apply([frame('disconnected', { reason: '', retryInMs: 1 })]).phase).toBe('reconnecting');
  const gap = frame('gap', { code: 'stream_replay_gap' });
  expect(reader.apply([gap])).toMatchObject({ phase: 'streaming', isRestored: true });
  reader.apply([frame('error', { error: 'X', message: 'The model is gone.' })]);
  expect(reader.end(null)).toMatchObject({ phase: 'failed', error: 'The model is gone.' });
});

test('a custom event of an agent of its own leaves the turn as it is', () => {
  const reader = new RunNewsReader();
  const news = reader.apply([custom({ type: 'notes', task_id: 7 }), frame('custom', 'plain text')]);
  expect(news.tasks.size + news.subagents.size).toBe(0);
});
