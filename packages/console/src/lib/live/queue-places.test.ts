import type { Task } from '@switchyard/contract/dispatch/task';
import { expect, it } from 'vitest';
import { movingUp } from './queue-places.ts';
import type { TaskChange } from './task-change.ts';

const waiting = (id: string, position: number | null) => ({ id, position }) as Task;
const began = { fields: { status: 'running' }, atMs: 1 } as const;
const moved = { fields: { position: 1 }, atMs: 1 };

it('moves waiting tasks up past those that have left the queue', () => {
  const tasks = [waiting('a', 4), waiting('b', 1), waiting('c', 2), waiting('d', null), waiting('e', 3)];
  const changes = new Map<string, TaskChange>([
    ['b', began],
    ['e', began],
    ['d', began],
    ['c', moved],
  ]);
  const up = movingUp(tasks, changes);
  expect(tasks.filter(({ id }) => 'acd'.includes(id)).map((task) => up(task).position)).toEqual([2, 1, null]);
});

it('changes no task when none has left', () => {
  const task = waiting('a', 2);
  expect(movingUp([task, waiting('b', 1)], new Map([['b', moved]]))(task)).toBe(task);
});
