import type { Task } from '@switchyard/contract/dispatch/task';
import { expect, test } from 'vitest';
import { RecentNews } from './recent-news.ts';
import { changedTask, joinedChange } from './task-change.ts';

const updatedAt = '2026-01-01T00:00:10.000Z';
const atMs = Date.parse(updatedAt);
const running = { id: 't1', status: 'running', progress: 40, updatedAt } as Task;
const done = { status: 'completed', phase: 'ended', progress: 100 } as const;

test('a task that has ended stays as it ended when older progress arrives after it', () => {
  const ended = changedTask(running, { fields: done, atMs });
  expect(changedTask(ended, { fields: { status: 'running', progress: 60 }, atMs })).toBe(ended);
  const joined = joinedChange({ fields: done, atMs }, { fields: { progress: 60 }, atMs: atMs + 1 });
  expect(joined.fields.progress).toBe(100);
});

test('a change that says nothing new leaves the task the same object, so that nothing is drawn again', () => {
  expect(changedTask(running, { fields: { progress: 40 }, atMs })).toBe(running);
});

test('an answer that was under way when a frame came takes what the frame said', () => {
  const recent = new RecentNews();
  recent.note(new Map([['t1', { fields: { progress: 70 }, atMs: atMs + 500 }]]));
  expect(recent.task(running).progress).toBe(70);
  const later = { ...running, progress: 90, updatedAt: '2026-01-01T00:00:20.000Z' };
  expect(recent.task(later)).toBe(later);
});

test('the end of a task counts however the clocks of its answer and its frame differ', () => {
  const recent = new RecentNews();
  recent.note(new Map([['t1', { fields: done, atMs: atMs - 60_000 }]]));
  expect(recent.task(running).status).toBe('completed');
});

test('only the 2,000 tasks that changed last are remembered', () => {
  const recent = new RecentNews();
  for (let number = 0; number <= 2_000; number += 1) {
    recent.note(new Map([[`t${number}`, { fields: done, atMs }]]));
  }
  expect(recent.task({ ...running, id: 't0' }).status).toBe('running');
  expect(recent.task(running).status).toBe('completed');
});
