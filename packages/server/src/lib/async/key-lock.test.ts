import { expect, test } from 'vitest';
import { KeyLock } from './key-lock.ts';

test('work on one key is done one piece after the other, whether it succeeds or not; other keys do not wait', async () => {
  const lock = new KeyLock();
  const done: string[] = [];
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = lock.run('a', () => gate.then(() => done.push('first')));
  const second = lock.run('a', async () => {
    done.push('second');
    throw new Error('no luck');
  });
  const third = lock.run('a', async () => done.push('third'));
  await lock.run('b', async () => done.push('other'));
  expect(done).toEqual(['other']);
  open();
  await first;
  await expect(second).rejects.toThrow('no luck');
  await third;
  expect(done).toEqual(['other', 'first', 'second', 'third']);
});
