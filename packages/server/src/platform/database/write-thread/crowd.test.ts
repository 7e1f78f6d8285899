import { expect, it } from 'vitest';
import { newDeferred } from '../../../lib/async/deferred.ts';
import { Crowd } from './crowd.ts';

it('sees a crowd from the second one at the same time on, and until a hundred have come alone', async () => {
  const crowd = new Crowd();
  const told: boolean[] = [];
  const tell = async (isCrowded: boolean): Promise<void> => void told.push(isCrowded);
  await crowd.join(tell);

  const gate = newDeferred();
  const first = crowd.join(async (isCrowded) => {
    told.push(isCrowded);
    await gate.promise;
  });
  await crowd.join(tell);
  gate.resolve();
  await first;
  expect(told.splice(0)).toEqual([false, false, true]);

  for (let lone = 0; lone < 100; lone += 1) await crowd.join(tell);
  expect(told).toEqual([...Array.from({ length: 99 }, () => true), false]);
});

it('counts those that fail as gone', async () => {
  const crowd = new Crowd();
  await expect(crowd.join(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await crowd.join(async (isCrowded) => isCrowded)).toBe(false);
});
