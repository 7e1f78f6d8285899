import { expect, it } from 'vitest';
import { PendingDeletions } from './pending-deletions.ts';

function open() {
  const timers = new Map<number, () => void>();
  const performed: string[][] = [];
  const deletions = new PendingDeletions({
    perform: (ids) => performed.push([...ids]),
    onChange: () => undefined,
    setTimer: (work) => {
      timers.set(timers.size + 1, work);
      return timers.size;
    },
    clearTimer: (timer) => timers.delete(timer),
  });
  return { deletions, timers, performed };
}

it('hides files at once and deletes them when the time is over', () => {
  const { deletions, timers, performed } = open();
  deletions.add(['a', 'b']);
  expect([...deletions.hidden]).toEqual(['a', 'b']);
  expect(performed).toEqual([]);
  timers.get(1)?.();
  expect(performed).toEqual([['a', 'b']]);
});

it('deletes nothing that was taken back, and shows it again', () => {
  const { deletions, timers, performed } = open();
  const undo = deletions.add(['a']);
  deletions.add(['b']);
  undo();
  expect([...deletions.hidden]).toEqual(['b']);
  for (const work of timers.values()) work();
  expect(performed).toEqual([['b']]);
  undo();
  expect(performed).toEqual([['b']]);
});

it('deletes at once what waits when the page is left', () => {
  const { deletions, timers, performed } = open();
  deletions.add(['a']);
  deletions.flush();
  expect(performed).toEqual([['a']]);
  expect(timers.size).toBe(0);
});
