import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { InstanceMarks } from './instance-marks.ts';
import type { InstanceChange } from './instance-store.ts';

test('what lasts is written soon with all that waits, and what each task changes is written together later, and a heartbeat alone with either', async () => {
  const time = new ManualTime();
  const written: string[][] = [];
  const marks = new InstanceMarks({
    store: { changeMany: async (changes) => void written.push([...changes.keys()]) },
    timer: time.timer,
    onFault: (error) => {
      throw error;
    },
  });
  const change = { token: 1, columns: {} } as InstanceChange;
  marks.mark('a', change, 'usual');
  marks.mark('b', change, 'usual');
  time.advance(1_999);
  expect(written).toEqual([]);
  time.advance(1);
  expect(written).toEqual([['a', 'b']]);
  marks.mark('a', change, 'usual');
  marks.mark('b', change, 'soon');
  time.advance(250);
  expect(written).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  time.advance(5_000);
  expect(written, 'nothing waits any more').toHaveLength(2);
  marks.mark('a', change, 'rarely');
  time.advance(2_000);
  expect(written).toHaveLength(2);
  marks.mark('b', change, 'soon');
  time.advance(250);
  expect(written.at(-1)).toEqual(['a', 'b']);
  marks.mark('a', change, 'rarely');
  time.advance(10_000);
  expect(written.at(-1)).toEqual(['a']);
  await marks.settle();
});
