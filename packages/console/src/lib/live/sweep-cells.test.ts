import type { SweepCell } from '@switchyard/contract/dispatch/sweep';
import type { Task } from '@switchyard/contract/dispatch/task';
import { expect, it } from 'vitest';
import { changedCells } from './sweep-cells.ts';
import type { TaskChange } from './task-change.ts';

const waiting: SweepCell = {
  cell: 3,
  at: [0, 1],
  values: { steps: 20 },
  state: 'waiting',
  taskId: null,
  progress: 0,
  cancelRequested: false,
  error: null,
  outputs: [],
};
const made = (id: string, sweep = 's1') => [{ id, sweep: { id: sweep, cell: 3 } } as Task];
const tasks = (id: string, fields: TaskChange['fields']) => new Map([[id, { fields, atMs: 1 }]]);
const none = new Map<string, TaskChange>();

it('fills a cell by the frames of its task', () => {
  const pending = changedCells('s1', { newTasks: made('t1'), tasks: none })(waiting);
  expect(pending).toMatchObject({ state: 'pending', taskId: 't1' });
  const running = tasks('t1', { status: 'running', progress: 40 });
  const at40 = changedCells('s1', { newTasks: [], tasks: running })(pending);
  expect(at40).toMatchObject({ state: 'running', progress: 40 });
  const outputs = [{ fileId: 'f1' }];
  const result = { outputs } as Task['result'];
  const done = changedCells('s1', {
    newTasks: [],
    tasks: tasks('t1', { status: 'completed', progress: 100, result, error: null }),
  })(at40);
  expect(done).toMatchObject({ state: 'completed', outputs });
  expect(changedCells('s1', { newTasks: [], tasks: running })(done)).toBe(done);
  expect(changedCells('s1', { newTasks: made('t2'), tasks: none })(done)).toMatchObject({
    taskId: 't2',
    state: 'pending',
    outputs: [],
  });
});

it('tells a cancelled task from a failed one, and leaves cells of other sweeps alone', () => {
  const cell: SweepCell = { ...waiting, state: 'running', taskId: 't1' };
  const error = { code: 'cancelled', message: 'x' } as const;
  const cancelled = changedCells('s1', { newTasks: [], tasks: tasks('t1', { status: 'failed', error }) })(
    cell,
  );
  expect(cancelled.state).toBe('cancelled');
  expect(
    changedCells('s1', { newTasks: made('t9', 's2'), tasks: tasks('t9', { status: 'running' }) })(cell),
  ).toBe(cell);
});

it('keeps how far a cell is when its task is asked to stop, and takes nothing of that into the next run', () => {
  const cell: SweepCell = { ...waiting, state: 'running', taskId: 't1', progress: 40 };
  const asked = { newTasks: [], tasks: tasks('t1', { cancelRequested: true }) };
  const stopping = changedCells('s1', asked)(cell);
  expect(stopping).toMatchObject({ state: 'running', progress: 40, cancelRequested: true });
  expect(changedCells('s1', asked)(stopping)).toBe(stopping);
  const further = { newTasks: [], tasks: tasks('t1', { status: 'running', progress: 60 }) };
  expect(changedCells('s1', further)(stopping)).toMatchObject({ progress: 60, cancelRequested: true });
  const again = changedCells('s1', { newTasks: made('t2'), tasks: none })(stopping);
  expect(again).toMatchObject({ state: 'pending', cancelRequested: false });
});
