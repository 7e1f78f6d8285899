import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { linkedAbort } from './linked-abort.ts';

test('aborts with its parent, for the same reason', () => {
  const parent = new AbortController();
  const linked = linkedAbort(parent.signal);
  const reason = new Error('over');
  parent.abort(reason);
  expect(linked.signal.reason).toBe(reason);
});

test('is aborted from the start when its parent is aborted', () => {
  expect(linkedAbort(AbortSignal.abort()).signal.aborted).toBe(true);
});

test('aborts without aborting its parent', () => {
  const parent = new AbortController();
  const linked = linkedAbort(parent.signal);
  linked.abort();
  expect([linked.signal.aborted, parent.signal.aborted]).toEqual([true, false]);
});

test('leaves no listener on its parent once it is released', () => {
  const parent = new AbortController();
  linkedAbort(parent.signal).release();
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0);
});
