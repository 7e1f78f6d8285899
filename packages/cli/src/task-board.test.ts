import type { Task } from '@switchyard/contract/dispatch/task';
import { expect, it } from 'vitest';
import { outcomeOf, TaskBoard, type TaskState } from './task-board.ts';

const task = (changes: Partial<Task> = {}) =>
  ({ id: 'a', status: 'pending', progress: 0, node: null, instanceId: null, ...changes }) as Task;

function board() {
  const changes: TaskState[] = [];
  return { changes, board: new TaskBoard([task()], (state) => changes.push(state)) };
}

const progress = (taskId: string, percent: number) =>
  ({ type: 'task_progress', timestamp: 0, data: { taskId, progress: percent, node: 'Invert' } }) as const;

it('a task changes as the messages say', () => {
  const { board: tasks } = board();
  tasks.hear({ type: 'task_started', timestamp: 0, data: { taskId: 'a', instanceId: 'i:1', attempt: 1 } });
  tasks.hear(progress('a', 40));
  expect(tasks.states).toEqual([
    { id: 'a', status: 'running', progress: 40, node: 'Invert', instanceId: 'i:1' },
  ]);
  tasks.put(task({ status: 'completed', progress: 100 }));
  expect(tasks.states[0]).toMatchObject({ status: 'completed', progress: 100, node: null });
});

it('a message that comes after the end changes nothing', () => {
  const { board: tasks, changes } = board();
  tasks.put(task({ status: 'failed' }));
  tasks.hear(progress('a', 40));
  expect(tasks.states[0]?.status).toBe('failed');
  expect(changes).toHaveLength(1);
});

it('a message about a task that is not followed changes nothing', () => {
  const { board: tasks, changes } = board();
  tasks.hear(progress('b', 40));
  expect([tasks.states.length, changes.length]).toEqual([1, 0]);
});

it('distinguishes a cancelled task from a failed one', () => {
  const error = { code: 'cancelled' as const, message: 'Cancelled.' };
  expect(outcomeOf({ status: 'failed', error })).toBe('cancelled');
  expect(outcomeOf({ status: 'failed', error: { ...error, code: 'out_of_memory' } })).toBe('failed');
  expect(outcomeOf({ status: 'running', error: null })).toBe('running');
});
