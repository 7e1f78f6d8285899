import { expect, test, vi } from 'vitest';
import { PendingRemovals } from './pending-removals.ts';

function removalsOf(remove: (id: string) => Promise<void>) {
  const timers = new Set<() => void>();
  const removals = new PendingRemovals({
    remove,
    afterMs: 8_000,
    timer: (action) => {
      timers.add(action);
      return () => timers.delete(action);
    },
  });
  return { removals, pass: () => [...timers].map((action) => timers.delete(action) && action()) };
}

const callbacks = () => ({ onRemoved: vi.fn(), onFailed: vi.fn() });

test('a thing leaves the page at once, and the gateway when it is too late for an undo', async () => {
  const remove = vi.fn(async () => undefined);
  const { removals, pass } = removalsOf(remove);
  const told = callbacks();
  removals.add('t1', told);
  expect(removals.get().has('t1')).toBe(true);
  expect(remove).not.toHaveBeenCalled();
  pass();
  await vi.waitFor(() => expect(told.onRemoved).toHaveBeenCalled());
  expect(remove).toHaveBeenCalledWith('t1');
  expect(removals.get().has('t1')).toBe(true);
});

test('an undo brings it back, and nothing is removed', () => {
  const remove = vi.fn(async () => undefined);
  const { removals, pass } = removalsOf(remove);
  removals.add('t1', callbacks());
  removals.undo('t1');
  pass();
  expect(removals.get().has('t1')).toBe(false);
  expect(remove).not.toHaveBeenCalled();
});

test('a page that closes removes what waits, and a removal that fails shows the thing again', async () => {
  const told = callbacks();
  const { removals } = removalsOf(() => Promise.reject(new Error('A run does not stop.')));
  removals.add('t1', told);
  removals.finish();
  await vi.waitFor(() => expect(told.onFailed).toHaveBeenCalled());
  expect(removals.get().has('t1')).toBe(false);
});
