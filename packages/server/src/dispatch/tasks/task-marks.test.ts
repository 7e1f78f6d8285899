import { describe, expect, it } from 'vitest';
import type { AttemptFence, RunningMark } from './attempt-store.ts';
import { TaskMarks } from './task-marks.ts';

describe('TaskMarks', () => {
  it('writes a mark once it is due, and only the newest mark of each task', async () => {
    const time = new Time();
    const { marks, written } = marksIn(time);
    marks.mark(fenceOf('a'), { progress: 10, updatedAt: 't1' });
    time.pass(20);
    marks.mark(fenceOf('a'), { node: '3', updatedAt: 't2' });
    expect(written).toEqual([]);
    time.pass(20);
    expect(written).toEqual([[{ taskId: 'a', progress: 10, node: '3', updatedAt: 't2' }]]);
  });

  it('has nothing to write for a task that ended before its mark was due', () => {
    const time = new Time();
    const { marks, written } = marksIn(time);
    marks.mark(fenceOf('a'), { progress: 10, updatedAt: 't1' });
    time.pass(39);
    expect(marks.take(fenceOf('a'))).toEqual({ progress: 10, updatedAt: 't1' });
    time.pass(1_000);
    expect(written).toEqual([]);
  });

  it('writes marks that are due soon together, and later marks later', () => {
    const time = new Time();
    const { marks, written } = marksIn(time);
    marks.mark(fenceOf('a'), { updatedAt: 't1' });
    time.pass(8);
    marks.mark(fenceOf('b'), { updatedAt: 't1' });
    time.pass(12);
    marks.mark(fenceOf('c'), { updatedAt: 't1' });
    time.pass(20);
    expect(written.map((batch) => batch.map(({ taskId }) => taskId))).toEqual([['a', 'b']]);
    time.pass(20);
    expect(written.map((batch) => batch.map(({ taskId }) => taskId))).toEqual([['a', 'b'], ['c']]);
  });

  it('keeps the mark of another attempt for that attempt', () => {
    const { marks } = marksIn(new Time());
    marks.mark(fenceOf('a', 2), { updatedAt: 't1' });
    expect(marks.take(fenceOf('a', 1))).toBeNull();
    expect(marks.take(fenceOf('a', 2))).toEqual({ updatedAt: 't1' });
  });

  it('writes the waiting marks before it is closed', async () => {
    const time = new Time();
    const { marks, written } = marksIn(time);
    marks.mark(fenceOf('a'), { updatedAt: 't1' });
    await marks.settle();
    expect(written).toHaveLength(1);
    time.pass(1_000);
    expect(written).toHaveLength(1);
  });
});

function marksIn(time: Time) {
  const written: (RunningMark & { taskId: string })[][] = [];
  const marks = new TaskMarks({
    store: {
      mark: async (some) => {
        written.push(some.map(({ fence, change }) => ({ taskId: fence.taskId, ...change })));
        return some.map(() => true);
      },
    },
    onFault: (error) => {
      throw error;
    },
    timer: time.timer,
    clock: () => time.nowMs,
  });
  return { marks, written };
}

function fenceOf(taskId: string, attempt = 1): AttemptFence {
  return { taskId, attempt, token: 1 };
}

/** A clock that moves only when it is told to. */
class Time {
  nowMs = 0;
  readonly #waiting = new Set<{ atMs: number; action: () => void }>();

  readonly timer = (action: () => void, delayMs: number): (() => void) => {
    const entry = { atMs: this.nowMs + delayMs, action };
    this.#waiting.add(entry);
    return () => this.#waiting.delete(entry);
  };

  pass(ms: number): void {
    const until = this.nowMs + ms;
    for (;;) {
      const [next] = [...this.#waiting].sort((a, b) => a.atMs - b.atMs);
      if (!next || next.atMs > until) break;
      this.#waiting.delete(next);
      this.nowMs = next.atMs;
      next.action();
    }
    this.nowMs = until;
  }
}
