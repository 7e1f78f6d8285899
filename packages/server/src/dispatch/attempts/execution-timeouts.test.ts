import { expect, test } from 'vitest';
import { executionTimeouts, timeoutsOf } from './execution-timeouts.ts';

test('the setting of a task counts before that of its server, and the defaults apply otherwise', () => {
  const server = { lostSeconds: 60, cancelSeconds: 5 };
  const task = { lostSeconds: 120, silentSeconds: 1_800 };
  expect(timeoutsOf(executionTimeouts, [server, task])).toEqual({
    ...executionTimeouts,
    lostMs: 120_000,
    silenceMs: 1_800_000,
    cancelMs: 5_000,
  });
  expect(timeoutsOf(executionTimeouts, [null, null])).toEqual(executionTimeouts);
});

test('a worker that refuses connections gets no more time than one out of reach, unless it is set', () => {
  expect(timeoutsOf(executionTimeouts, [{ lostSeconds: 1 }])).toMatchObject({
    lostMs: 1_000,
    refusedMs: 1_000,
  });
  expect(timeoutsOf(executionTimeouts, [{ refusedSeconds: 90 }])).toMatchObject({
    lostMs: 30_000,
    refusedMs: 90_000,
  });
});

test('an execution that is not started gets no more time than a silent one', () => {
  expect(timeoutsOf(executionTimeouts, [{ silentSeconds: 20 }])).toMatchObject({ startMs: 20_000 });
  expect(timeoutsOf(executionTimeouts, [{ silentSeconds: 3_600 }])).toMatchObject({ startMs: 60_000 });
});
