import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newDeferred } from './deferred.ts';
import { UserTurns } from './user-turns.ts';

const tooMany = () => new Error('too many');

it('one piece of work runs for each user and a few for all, in the order of their requests', async () => {
  const turns = new UserTurns({ atOnce: 2, atOncePerUser: 1, waiting: { perUser: 2, full: tooMany } });
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
  const turns = new UserTurns({ atOnce: 1, atOncePerUser: 1, waiting: { perUser: 1, full: tooMany } });
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

it('a long line of one user is passed by the first work of another', async () => {
  const { ask, begun, endOne } = heldWorks(1);
  const asked = [ask('ada', 'a1'), ask('ada', 'a2'), ask('ada', 'a3'), ask('bob', 'b1'), ask('bob', 'b2')];
  for (const [index] of asked.entries()) {
    await expect.poll(() => begun.length).toBe(index + 1);
    endOne();
  }
  await Promise.all(asked);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

it('no more works of a user who is alone run at once than may, and one that fails gives its place on', async () => {
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

/** Works that last until the test lets them end, in the order in which they began. */
function heldWorks(atOnce: number) {
  const turns = new UserTurns({ atOnce, atOncePerUser: atOnce });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (userId: string, name: string): Promise<string> =>
    turns.run(userId, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  return { ask, begun, endOne: () => ends.shift()?.(), turns };
}
