import type { Task } from '@switchyard/contract/dispatch/task';
import { expect, it } from 'vitest';
import {
  countNew,
  openResults,
  picturesToCompare,
  resultBeside,
  resultsOf,
  seenUntil,
  shownResult,
} from './results.ts';

/** A task that was asked for in this minute, ended in that one, and made these files. */
function task(id: string, at: number, end: number | null = null, files: Record<string, string> = {}): Task {
  const outputs = Object.entries(files).map(([fileId, folder]) => ({ fileId, folder }));
  const minute = (value: number) => `2026-11-28T10:${String(value).padStart(2, '0')}:00.000Z`;
  return {
    id,
    createdAt: minute(at),
    finishedAt: end === null ? null : minute(end),
    status: end === null ? 'pending' : 'completed',
    error: null,
    result: end === null ? null : { outputs },
  } as unknown as Task;
}

const keysOf = (results: readonly { key: string }[]) => results.map(({ key }) => key);

it('shows each file once in the order of the runs, and leaves out what a node only shows', () => {
  const first = task('a', 1, 5, { one: 'output', step: 'temp', two: 'output' });
  const results = resultsOf([task('c', 3), task('b', 2, 4, { only: 'temp' }), first, first]);
  expect(keysOf(results)).toEqual(['one', 'two', 'only', 'c']);
  expect(keysOf(resultsOf([first], new Set(['one'])))).toEqual(['two']);
});

it('follows the result that ended last, and what is being made while none has', () => {
  const running = { ...task('b', 2), status: 'running' } as Task;
  expect(shownResult(resultsOf([task('a', 1), running]), null)?.key).toBe('b');
  expect(keysOf(openResults(resultsOf([task('a', 1), running])))).toEqual(['b', 'a']);
  const results = resultsOf([
    task('a', 1, 9, { late: 'output' }),
    task('b', 2, 5, { early: 'output' }),
    running,
  ]);
  expect(shownResult(results, null)?.key).toBe('late');
  const cancelled = { ...task('d', 4, 12), error: { code: 'cancelled', message: '' } } as Task;
  expect(shownResult(resultsOf([task('a', 1, 9, { late: 'output' }), cancelled]), null)?.key).toBe('late');
});

it('stays at the chosen result and counts what has ended since', () => {
  const first = task('a', 1, 5, { one: 'output' });
  const before = resultsOf([first, task('b', 2)]);
  const chosen = { key: 'one', seenUntil: seenUntil(before) };
  const after = resultsOf([first, task('b', 2, 7, { two: 'output', three: 'output' })]);
  expect(shownResult(after, chosen)?.key).toBe('one');
  const shown = before[0];
  expect([countNew(before, chosen, shown), countNew(after, chosen, shown)]).toEqual([0, 2]);
  expect([countNew(after, null, shown), countNew(after, chosen, after[1])]).toEqual([0, 0]);
  // A task that was chosen while it ran is followed into its file, and a deleted result gives way to the newest.
  expect(shownResult(after, { ...chosen, key: 'b' })?.key).toBe('two');
  expect(shownResult(after, { ...chosen, key: 'gone' })?.key).toBe('three');
});

it('goes to the neighbour and stops at the ends', () => {
  const results = resultsOf([task('a', 1, 5, { one: 'output' }), task('b', 2)]);
  expect(resultBeside(results, results[0], 1)?.key).toBe('b');
  expect(resultBeside(results, results[1], 1)).toBeUndefined();
  expect(resultBeside(results, results[0], -1)).toBeUndefined();
});

it('compares two to four marked pictures, or the shown one with the one before it', () => {
  const picture = (id: string, at: number) => {
    const made = task(id, at, at, { [id]: 'output' });
    for (const output of made.result?.outputs ?? []) output.contentType = 'image/png';
    return made;
  };
  const results = resultsOf(['a', 'b', 'c', 'd', 'e'].map((id, at) => picture(id, at + 1)));
  const compared = (...marked: string[]) => {
    const pictures = picturesToCompare(results, new Set(marked), results[1]);
    return pictures && keysOf(pictures);
  };
  expect(compared()).toEqual(['a', 'b']);
  expect(compared('e', 'c', 'a')).toEqual(['a', 'c', 'e']);
  expect([compared('a'), compared('a', 'b', 'c', 'd', 'e')]).toEqual([null, null]);
});
