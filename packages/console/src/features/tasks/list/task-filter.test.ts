import type { Task } from '@switchyard/contract/dispatch/task';
import { expect, it } from 'vitest';
import { fits, isNarrowed, optionsOf, queryOf, readFilter, searchOf } from './task-filter.ts';

const now = Date.parse('2026-01-02T00:00:30Z');
const task = {
  id: '0199abc',
  name: 'Portrait ×12',
  status: 'running',
  tags: ['night'],
  owner: 'u1',
  instanceId: 'box:1',
} as Task;

it('reads the filter from the address and leaves out what makes no sense', () => {
  expect(readFilter('?status=failed&q=cat&period=1h')).toMatchObject({
    status: 'failed',
    q: 'cat',
    period: '1h',
  });
  expect(readFilter('?status=tired&period=2w')).toMatchObject({ status: null, q: '', period: null });
});

it('asks the same question for a minute, so that a period does not load the list again and again', () => {
  const filter = readFilter('?period=1h&instance=box:1');
  expect(queryOf(filter, now)).toEqual({ instanceId: 'box:1', since: '2026-01-01T23:00:00.000Z' });
  expect(queryOf(filter, now + 20_000)).toEqual(queryOf(filter, now));
});

it('comes back from an address as it was written there, without anything else', () => {
  const filter = readFilter('?status=cancelled&q=my+cat&instance=box:1&period=7d&open=0199');
  expect(searchOf(filter)).toBe('?status=cancelled&q=my+cat&instance=box%3A1&period=7d');
  expect(readFilter(searchOf(filter))).toEqual(filter);
  expect(searchOf(readFilter(''))).toBe('');
});

it('tells the tab from what narrows it', () => {
  expect(isNarrowed(readFilter('?status=failed'))).toBe(false);
  expect(isNarrowed(readFilter('?q=cat'))).toBe(true);
});

it.each([
  ['', true],
  ['?status=running', true],
  ['?status=pending', false],
  ['?q=PORTRAIT', true],
  ['?q=0199', true],
  ['?q=landscape', false],
  ['?tag=night&instance=box:1&owner=u1', true],
  ['?tag=day', false],
  ['?status=cancelled', false],
])('decides whether a new task belongs into the list %s', (search, belongs) => {
  expect(fits(task, readFilter(search))).toBe(belongs);
});

it('finds a cancelled task among the failed ones and among the cancelled ones, and a failed one not among these', () => {
  const failed = { ...task, status: 'failed', error: { code: 'lost', message: 'Gone.' } } as Task;
  const cancelled = { ...failed, error: { code: 'cancelled', message: 'Cancelled.' } } as Task;
  const isIn = (status: string) =>
    [failed, cancelled].map((each) => fits(each, readFilter(`?status=${status}`)));
  expect(isIn('failed')).toEqual([true, true]);
  expect(isIn('cancelled')).toEqual([false, true]);
});

it('writes the filter as options of the command line, quoted for a shell', () => {
  expect(optionsOf(readFilter('?status=failed&q=my cat&period=24h'))).toBe(
    "--status failed --search 'my cat' --since 24h",
  );
});
