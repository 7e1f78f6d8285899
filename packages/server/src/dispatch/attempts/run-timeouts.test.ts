import { expect, test } from 'vitest';
import { runTimeouts, timeoutsOf } from './run-timeouts.ts';

test('the setting of a task counts before that of its server, and the defaults apply otherwise', () => {
  const server = { lostSeconds: 60, cancelSeconds: 5 };
  const task = { lostSeconds: 120, silentSeconds: 1_800 };
  expect(timeoutsOf(runTimeouts, [server, task])).toEqual({
    ...runTimeouts,
    lostMs: 120_000,
    silenceMs: 1_800_000,
    cancelMs: 5_000,
  });
  expect(timeoutsOf(runTimeouts, [null, null])).toEqual(runTimeouts);
});

test('a worker that refuses connections gets no more time than one out of reach, unless it is set', () => {
  expect(timeoutsOf(runTimeouts, [{ lostSeconds: 1 }])).toMatchObject({ lostMs: 1_000, refusedMs: 1_000 });
  expect(timeoutsOf(runTimeouts, [{ refusedSeconds: 90 }])).toMatchObject({
    lostMs: 30_000,
    refusedMs: 90_000,
  });
});

test('an execution that is not started gets no more time than a silent one', () => {
  expect(timeoutsOf(runTimeouts, [{ silentSeconds: 20 }])).toMatchObject({ startMs: 20_000 });
  expect(timeoutsOf(runTimeouts, [{ silentSeconds: 3_600 }])).toMatchObject({ startMs: 60_000 });
});
