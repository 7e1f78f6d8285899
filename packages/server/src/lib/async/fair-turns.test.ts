import { expect, it } from 'vitest';
import { FairTurns } from './fair-turns.ts';

/** Works that last until the test lets them end, in the order in which they began. */
function heldWorks(atOnce: number) {
  const turns = new FairTurns(atOnce);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (holder: string, name: string): Promise<string> =>
    turns.run(holder, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  return { ask, begun, endOne: () => ends.shift()?.(), turns };
}

it('a long line of one holder is passed by the first work of another', async () => {
  const { ask, begun, endOne } = heldWorks(1);
  const asked = [ask('ada', 'a1'), ask('ada', 'a2'), ask('ada', 'a3'), ask('bob', 'b1'), ask('bob', 'b2')];
  for (const [index] of asked.entries()) {
    await expect.poll(() => begun.length).toBe(index + 1);
    endOne();
  }
  await Promise.all(asked);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

it('no more works run at once than may, and one that fails gives its place on', async () => {
  const { ask, begun, endOne, turns } = heldWorks(2);
  const failed = turns.run('ada', () => Promise.reject(new Error('damaged')));
  const asked = ['1', '2', '3'].map((name) => ask('ada', name));
  await expect(failed).rejects.toThrow('damaged');
  await expect.poll(() => begun).toEqual(['1', '2']);
  endOne();
  await expect.poll(() => begun).toEqual(['1', '2', '3']);
  endOne();
  endOne();
  expect(await Promise.all(asked)).toEqual(['1', '2', '3']);
});
