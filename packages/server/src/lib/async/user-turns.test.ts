import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newDeferred } from './deferred.ts';
import { UserTurns } from './user-turns.ts';

it('one piece of work runs for each user and a few for all, in the order of their requests', async () => {
  const turns = new UserTurns({ atOnce: 2, waitingPerUser: 2, full: () => new Error('too many') });
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
  await expect(search('ada', 'a4')).rejects.toThrow('too many');

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

it('work whose signal aborts while it waits does not begin, and keeps no place', async () => {
  const turns = new UserTurns({ atOnce: 1, waitingPerUser: 1, full: () => new Error('too many') });
  const end = newDeferred<void>();
  const first = turns.run('ada', () => end.promise);
  const gone = new AbortController();
  const waiting = turns.run('ada', async () => 'begun', gone.signal);
  gone.abort(new Error('the client has gone'));
  await expect(waiting).rejects.toThrow('the client has gone');
  const next = turns.run('ada', async () => 'next');
  end.resolve();
  await first;
  expect(await next).toBe('next');
});
