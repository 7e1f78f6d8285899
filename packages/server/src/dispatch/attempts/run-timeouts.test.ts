import { expect, test } from 'vitest';
import { runTimeouts, timeoutsOf } from './run-timeouts.ts';

test('the word of a task counts before that of its server, and what neither says stays as usual', () => {
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

test('a refusing worker gets no more time than one out of reach, unless that is asked for', () => {
  expect(timeoutsOf(runTimeouts, [{ lostSeconds: 1 }])).toMatchObject({ lostMs: 1_000, refusedMs: 1_000 });
  expect(timeoutsOf(runTimeouts, [{ refusedSeconds: 90 }])).toMatchObject({
    lostMs: 30_000,
    refusedMs: 90_000,
  });
});

test('a run that is not started gets no more time than a silent one', () => {
  expect(timeoutsOf(runTimeouts, [{ silentSeconds: 20 }])).toMatchObject({ startMs: 20_000 });
  expect(timeoutsOf(runTimeouts, [{ silentSeconds: 3_600 }])).toMatchObject({ startMs: 60_000 });
});
