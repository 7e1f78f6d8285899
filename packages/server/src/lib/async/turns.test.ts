import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('lets a fixed number of callers through per turn, in the order of their arrival', async () => {
  const turns = new Turns(2);
  const through: number[] = [];
  for (let index = 0; index < 5; index += 1) void turns.next().then(() => through.push(index));
  await Promise.resolve();
  await Promise.resolve();
  expect(through).toEqual([0, 1]);
  await nextTurn();
  expect(through).toEqual([0, 1, 2, 3]);
  await nextTurn();
  expect(through).toEqual([0, 1, 2, 3, 4]);
});

it('lets no caller overtake those who wait', async () => {
  const turns = new Turns(1);
  const through: string[] = [];
  void turns.next().then(() => through.push('a'));
  void turns.next().then(() => through.push('b'));
  await nextTurn();
  void turns.next().then(() => through.push('c'));
  await nextTurn();
  await nextTurn();
  expect(through).toEqual(['a', 'b', 'c']);
});

it('has room again in a later turn', async () => {
  const turns = new Turns(1);
  for (let round = 0; round < 3; round += 1) {
    let isThrough = false;
    void turns.next().then(() => {
      isThrough = true;
    });
    await Promise.resolve();
    await Promise.resolve();
    expect(isThrough).toBe(true);
    await nextTurn();
  }
});
