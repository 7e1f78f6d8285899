import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { AttemptFence, RunningMark } from './attempt-store.ts';
import { TaskMarks } from './task-marks.ts';

describe('TaskMarks', () => {
  it('writes a mark once it is due, and only the newest mark of each task', async () => {
    const time = new ManualTime(0);
    const { marks, written } = marksIn(time);
    marks.mark(fenceOf('a'), markOf({ progress: 10, accepted: { at: 't1', startedAt: 't1' } }), 'soon');
    time.advance(20);
    marks.mark(fenceOf('a'), markOf({ progress: 20, node: '3' }), 'soon');
    expect(written).toEqual([]);
    time.advance(20);
    const newest = markOf({ progress: 20, node: '3', accepted: { at: 't1', startedAt: 't1' } });
    expect(written).toEqual([[{ taskId: 'a', ...newest }]]);
  });

  it('has nothing to write for a task that ended before its mark was due', () => {
    const time = new ManualTime(0);
    const { marks, written } = marksIn(time);
    marks.mark(fenceOf('a'), markOf({ progress: 10 }), 'soon');
    time.advance(39);
    expect(marks.take(fenceOf('a'))).toEqual(markOf({ progress: 10 }));
    time.advance(1_000);
    expect(written).toEqual([]);
  });

  it('writes marks that are due soon together, and later marks later', async () => {
    const time = new ManualTime(0);
    const { marks, tasksWritten } = marksIn(time);
    marks.mark(fenceOf('a'), markOf(), 'soon');
    time.advance(8);
    marks.mark(fenceOf('b'), markOf(), 'soon');
    time.advance(12);
    marks.mark(fenceOf('c'), markOf(), 'soon');
    time.advance(20);
    expect(tasksWritten()).toEqual([['a', 'b']]);
    await nextTurn();
    time.advance(20);
    expect(tasksWritten()).toEqual([['a', 'b'], ['c']]);
  });

  it('writes the progress of a task that reports all the time twice a second', async () => {
    const time = new ManualTime(0);
    const { marks, written } = marksIn(time);
    for (let progress = 0; progress < 80; progress += 1) {
      marks.mark(fenceOf('a'), markOf({ progress }), 'later');
      time.advance(25);
      await nextTurn();
    }
    expect(written.flat().map(({ progress }) => progress)).toEqual([19, 39, 59, 79]);
  });

  it('writes progress with a mark that is due soon when it has waited for a while', () => {
    const time = new ManualTime(0);
    const { marks, tasksWritten } = marksIn(time);
    marks.mark(fenceOf('a'), markOf(), 'later');
    time.advance(220);
    marks.mark(fenceOf('b'), markOf(), 'later');
    marks.mark(fenceOf('c'), markOf(), 'soon');
    time.advance(40);
    expect(tasksWritten()).toEqual([['a', 'c']]);
  });

  it('does not wait longer with a mark that is due soon because progress follows it', () => {
    const time = new ManualTime(0);
    const { marks, tasksWritten } = marksIn(time);
    marks.mark(fenceOf('a'), markOf(), 'later');
    marks.mark(fenceOf('a'), markOf(), 'soon');
    marks.mark(fenceOf('a'), markOf(), 'later');
    time.advance(40);
    expect(tasksWritten()).toEqual([['a']]);
  });

  it('writes nothing while an earlier write goes on, and then what is due', async () => {
    const time = new ManualTime(0);
    const writing = newDeferred();
    const { marks, tasksWritten } = marksIn(time, writing.promise);
    for (const taskId of ['a', 'b']) {
      marks.mark(fenceOf(taskId), markOf(), 'soon');
      time.advance(40);
      await nextTurn();
    }
    expect(tasksWritten()).toEqual([['a']]);
    writing.resolve();
    await nextTurn();
    expect(tasksWritten()).toEqual([['a'], ['b']]);
  });

  it('keeps the mark of another attempt for that attempt', () => {
    const { marks } = marksIn(new ManualTime(0));
    marks.mark(fenceOf('a', 2), markOf(), 'soon');
    expect(marks.take(fenceOf('a', 1))).toBeNull();
    expect(marks.take(fenceOf('a', 2))).toEqual(markOf());
  });

  it('writes the waiting marks before it is closed', async () => {
    const time = new ManualTime(0);
    const { marks, written } = marksIn(time);
    marks.mark(fenceOf('a'), markOf(), 'later');
    await marks.settle();
    expect(written).toHaveLength(1);
    time.advance(1_000);
    expect(written).toHaveLength(1);
  });
});

function marksIn(time: ManualTime, writing: Promise<void> = Promise.resolve()) {
  const written: (RunningMark & { taskId: string })[][] = [];
  const marks = new TaskMarks({
    store: {
      mark: async (some) => {
        written.push(some.map(({ fence, change }) => ({ taskId: fence.taskId, ...change })));
        await writing;
      },
    },
    onFault: (error) => {
      throw error;
    },
    timer: time.timer,
    clock: time.now,
  });
  const tasksWritten = () => written.map((batch) => batch.map(({ taskId }) => taskId));
  return { marks, written, tasksWritten };
}

function fenceOf(taskId: string, attempt = 1): AttemptFence {
  return { taskId, attempt, token: 1 };
}

function markOf(change: Partial<RunningMark> = {}): RunningMark {
  return { phase: 'executing', progress: 0, node: null, updatedAt: 't1', ...change };
}
