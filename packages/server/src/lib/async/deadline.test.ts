import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { deadline } from './deadline.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function ended(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
}

test('a deadline ends by itself, also after garbage was collected', async () => {
  const parent = new AbortController();
  const waiting = ended(deadline(200, parent.signal).signal);
  // Whether an object is collected is decided after the turn in which it was used.
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  expect(await waiting).toMatchObject({ name: 'TimeoutError' });
});

test('a deadline ends with its parent, whose reason it has', async () => {
  const parent = new AbortController();
  const { signal } = deadline(60_000, parent.signal);
  parent.abort('closing');
  expect([signal.aborted, signal.reason]).toEqual([true, 'closing']);
  expect(deadline(60_000, parent.signal).signal.reason).toBe('closing');
});

test('a deadline that is released ends with nothing', () => {
  const parent = new AbortController();
  const { signal, release } = deadline(60_000, parent.signal);
  release();
  parent.abort('closing');
  expect(signal.aborted).toBe(false);
});
