import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newDeferred } from '../../../lib/async/deferred.ts';
import { SearchTurns } from './search-turns.ts';

it('one search runs for each user and a few for all, in the order of their requests', async () => {
  const turns = new SearchTurns({ atOnce: 2, waitingPerUser: 2 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const search = (userId: string, name: string) =>
    turns.run(userId, async () => {
      begun.push(name);
      const end = newDeferred<void>();
      ends.set(name, () => end.resolve());
      await end.promise;
      if (name === 'a2') throw new Error('it failed');
    });
  const a1 = search('ada', 'a1');
  const a2 = search('ada', 'a2');
  const a3 = search('ada', 'a3');
  const b1 = search('bob', 'b1');
  const c1 = search('cyd', 'c1');
  await nextTurn();
  expect(begun).toEqual(['a1', 'b1']);
  await expect(search('ada', 'a4')).rejects.toMatchObject({ code: 'too_many_searches' });

  ends.get('b1')?.();
  await b1;
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  ends.get('a1')?.();
  await a1;
  expect(begun.at(-1)).toBe('a2');
  ends.get('a2')?.();
  await expect(a2).rejects.toThrow('it failed');
  expect(begun.at(-1)).toBe('a3');
  for (const [name, end] of ends) if (['a3', 'c1'].includes(name)) end();
  await Promise.all([a3, c1]);
});
