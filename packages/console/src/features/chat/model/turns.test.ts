import type { Run } from '@switchyard/contract/conversation/run';
import type { ThreadMessage } from '@switchyard/contract/conversation/run-events';
import type { StreamedMessage } from '@switchyard/contract/conversation/stream-frames';
import type { Task } from '@switchyard/contract/dispatch/task';
import { expect, test } from 'vitest';
import { noRunNews, type RunNews } from '../../../lib/live/run-news.ts';
import { expectedPictures, isOpenPhase, taskCardOf } from './task-card.ts';
import type { ToolPart } from './turn.ts';
import { type TurnSources, turnsOf } from './turns.ts';

const human: StreamedMessage = { type: 'human', id: 'h1', content: 'Invert it.' };
const call = { id: 'c1', name: 'run_workflow', args: { name: 'Invert', workflow: {} } };
const asks: StreamedMessage = { type: 'ai', id: 'a1', content: 'I run it.', tool_calls: [call] };
const failed: StreamedMessage = {
  type: 'tool',
  id: 'x1',
  content: 'Error: cancelled',
  tool_call_id: 'c1',
  status: 'error',
};

let seq = 0;
const row = (runId: string, content: StreamedMessage): ThreadMessage =>
  ({ run_id: runId, seq: ++seq, content, feedback: null }) as ThreadMessage;
const none: TurnSources = {
  stored: [],
  runs: [],
  tasks: [],
  live: null,
  sent: null,
  isAsked: false,
  isTalk: true,
};
const saying = (messages: StreamedMessage[], more: Partial<RunNews> = {}): RunNews => ({
  ...noRunNews,
  phase: 'streaming',
  messages,
  ...more,
});
const onPool = (fields: Partial<Task>): Task =>
  ({ id: 't1', status: 'running', progress: 40, conversation: { toolCallId: 'c1' }, ...fields }) as Task;
const toolIn = (sources: TurnSources): ToolPart => {
  const part = turnsOf(sources)[0]?.parts.find(({ kind }) => kind === 'tool');
  if (part?.kind !== 'tool') throw new Error('The turn has no tool call.');
  return part;
};

test('a turn is what a person said and what one run made of it', () => {
  const later = [row('r2', { type: 'human', id: 'h2', content: 'Thanks.' })];
  const turns = turnsOf({ ...none, stored: [row('r1', human), row('r1', asks), ...later] });
  expect(turns.map(({ runId, human }) => [runId, human?.id])).toEqual([
    ['r1', 'h1'],
    ['r2', 'h2'],
  ]);
  expect(turns.map(({ answerId }) => answerId)).toEqual(['a1', null]);
  expect(turns[0]?.parts).toMatchObject([
    { kind: 'text', text: 'I run it.' },
    { kind: 'tool', id: 'c1', state: 'stopped' },
  ]);
});

test('a call waits while the answer of a person is awaited', () => {
  const stored = [row('r1', human), row('r1', asks)];
  expect(toolIn({ ...none, stored, isAsked: true })).toMatchObject({ id: 'c1', state: 'waiting' });
  expect(
    toolIn({ ...none, stored: [...stored, row('r2', { ...human, id: 'h2' })], isAsked: true }),
  ).toMatchObject({
    id: 'c1',
    state: 'stopped',
  });
});

test('what is stored and what is streamed stand once, the longer text of the two', () => {
  const stored = [row('r1', human), row('r1', { ...asks, content: 'I' })];
  const answer: StreamedMessage = { type: 'ai', id: 'a2', content: 'Done.' };
  const turns = turnsOf({ ...none, stored, live: { runId: 'r1', news: saying([human, asks, answer]) } });
  expect(turns).toHaveLength(1);
  expect(turns[0]?.parts.map((part) => (part.kind === 'text' ? part.text : part.id))).toEqual([
    'I run it.',
    'c1',
    'Done.',
  ]);
});

test('a message that was just sent is shown before the gateway shows it, and only once afterwards', () => {
  const sent = { runId: 'r1', message: human };
  expect(turnsOf({ ...none, sent })).toMatchObject([{ runId: 'r1', human: { id: 'h1' } }]);
  const live = { runId: 'r1', news: saying([human, asks]) };
  expect(turnsOf({ ...none, sent, live })).toHaveLength(1);
  expect(turnsOf({ ...none, sent, stored: [row('r1', human)] })).toHaveLength(1);
});

test('the messages of earlier runs in the state of a run that goes on stay with their runs', () => {
  const before = [row('r1', human), row('r1', asks)];
  const next: StreamedMessage = { type: 'human', id: 'h2', content: 'And now?' };
  const turns = turnsOf({
    ...none,
    stored: before,
    live: { runId: 'r2', news: saying([human, asks, next]) },
  });
  expect(turns.map(({ runId }) => runId)).toEqual(['r1', 'r2']);
  expect(turns[1]?.human?.id).toBe('h2');
});

test('a task card finds its task from the stream, from the pool after a reload, and from the stored result', () => {
  const stored = [row('r1', human), row('r1', asks)];
  const live = { taskId: 't1', progress: 62, node: 'Scale', instanceId: 'box', files: null, error: null };
  const news = saying([], { tasks: new Map([['c1', live]]) });
  expect(toolIn({ ...none, stored, live: { runId: 'r1', news } }).task).toMatchObject({ taskId: 't1' });
  expect(toolIn({ ...none, stored, tasks: [onPool({})] }).task?.task?.progress).toBe(40);
  const content = JSON.stringify({
    task_id: 't9',
    status: 'completed',
    files: [{ file_id: 'f', filename: 'a.png' }],
  });
  const done: StreamedMessage = { ...failed, content, status: 'success' };
  const part = toolIn({ ...none, stored: [...stored, row('r1', done)] });
  expect(part.task?.taskId).toBe('t9');
  expect(taskCardOf(part)).toMatchObject({ phase: 'done', slots: 1, files: [{ fileId: 'f' }] });
});

test('the card takes the further of two reports, so that progress never goes back', () => {
  const live = { taskId: 't1', progress: 62, node: 'Scale', instanceId: 'box', files: null, error: null };
  const news = saying([], { tasks: new Map([['c1', live]]) });
  const stored = [row('r1', human), row('r1', asks)];
  const part = toolIn({ ...none, stored, tasks: [onPool({ progress: 40 })], live: { runId: 'r1', news } });
  expect(taskCardOf(part)).toMatchObject({
    phase: 'running',
    progress: 62,
    node: 'Scale',
    instanceId: 'box',
  });
});

test('a task that is asked to stop is open until it ends', () => {
  const stored = [row('r1', human), row('r1', asks)];
  const { phase } = taskCardOf(toolIn({ ...none, stored, tasks: [onPool({ cancelRequested: true })] }));
  expect([phase, isOpenPhase(phase)]).toEqual(['stopping', true]);
});

test('a failed task keeps its cause after a reload, and one that was cancelled says so', () => {
  const stored = [row('r1', human), row('r1', asks), row('r1', failed)];
  const error = { code: 'out_of_memory', message: 'Allocation failed.' } as const;
  const broken = toolIn({ ...none, stored, tasks: [onPool({ status: 'failed', error })] });
  expect(taskCardOf(broken)).toMatchObject({ phase: 'failed', error });
  const cancelled = onPool({ status: 'failed', error: { code: 'cancelled', message: 'Stopped.' } });
  expect(taskCardOf(toolIn({ ...none, stored, tasks: [cancelled] })).phase).toBe('cancelled');
});

test('the result of a call may stand in a later run, as after an approval', () => {
  const ok: StreamedMessage = {
    type: 'tool',
    id: 'x2',
    content: 'fine',
    tool_call_id: 'c1',
    status: 'success',
  };
  const part = toolIn({ ...none, stored: [row('r1', human), row('r1', asks), row('r2', ok)] });
  expect(part.state).toBe('done');
});

test('a run that has said nothing yet is a turn of its own, and the demo model is marked', () => {
  expect(turnsOf({ ...none, live: { runId: 'r1', news: noRunNews } })).toMatchObject([
    { isLive: true, parts: [] },
  ]);
  const simulated = { ...asks, response_metadata: { simulated: true } };
  const runs = [{ run_id: 'r1', status: 'success' } as Run];
  expect(turnsOf({ ...none, runs, stored: [row('r1', simulated)] })).toMatchObject([
    { isSimulated: true, isLive: false },
  ]);
});

test('a run is over when its stream is, though what the stream said is still shown', () => {
  const live = { runId: 'r1', news: saying([human, asks], { phase: 'ended' }) };
  expect(turnsOf({ ...none, live })).toMatchObject([{ isLive: false, human: { id: 'h1' } }]);
});

test('a card keeps a place for each picture of the batch, eight at most', () => {
  const graph = (size: unknown) => ({ workflow: { 1: { inputs: { batch_size: size } }, 2: 'odd' } });
  expect([graph(4), graph(500), graph('x'), { batch_size: 2 }, null].map(expectedPictures)).toEqual([
    4, 8, 1, 2, 1,
  ]);
});

test('a call whose result says that the run was stopped is stopped, not failed', () => {
  const stopped = { ...failed, additional_kwargs: { stopped: true } };
  expect(toolIn({ ...none, stored: [row('r1', asks), row('r1', failed)] }).state).toBe('failed');
  expect(toolIn({ ...none, stored: [row('r1', asks), row('r1', stopped)] }).state).toBe('stopped');
});

test('each run of a graph that takes no messages is a turn, in the order in which they ran', () => {
  const runs = ['r2', 'r1'].map((run_id) => ({ run_id, status: 'success' }) as Run);
  const turns = turnsOf({ ...none, runs, isTalk: false });
  expect(turns.map(({ runId, parts }) => [runId, parts])).toEqual([
    ['r1', []],
    ['r2', []],
  ]);
  expect(turnsOf({ ...none, runs })).toEqual([]);
});
