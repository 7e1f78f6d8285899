import { beforeEach, expect, test } from 'vitest';
import { toIso } from '../../../lib/clock.ts';
import { hourMs, minuteMs } from '../../../lib/time-units.ts';
import type { OfferQueue } from '../../../platform/offers/offer-queue.ts';
import type { StartTags } from '../../../platform/offers/start-tags.ts';
import type { OfferableRun } from '../records/run-store.ts';
import { OfferedRuns, type RunOffer } from './offered-runs.ts';
import type { ExpectedRun } from './run-executor.ts';
import type { Place } from './run-line.ts';

const run = { run_id: 'run', thread_id: 'thread', user_id: 'alice' };
const claimed = { row: run, kwargs: '{}' } as unknown as Parameters<Place['begin']>[0];

let looked: (readonly string[] | null)[];
let waiting: OfferableRun[];
let offeredInMs: number[];
let atWork: Set<string>;
/** Called by the work on the run before it is over. */
let perform: () => void;
let line: OfferedRuns;

beforeEach(() => {
  looked = [];
  waiting = [];
  offeredInMs = [];
  atWork = new Set();
  const expected = (id: string): ExpectedRun => {
    atWork.add(id);
    return { perform: async () => perform(), forget: () => atWork.delete(id) };
  };
  line = new OfferedRuns({
    executor: { begin: async () => null, expect: expected, isAtWork: (id) => atWork.has(id) },
    worker: { id: 'worker' },
    store: {
      offerable: async (threadIds) => {
        looked.push(threadIds);
        return waiting;
      },
      countWaiting: async () => ({ ofAll: 0, ofUser: 0 }),
    },
    queue: {
      rest: () => undefined,
      resume: () => undefined,
      offer: async (offers: { delayMs: number }[]) => {
        offeredInMs.push(...offers.map(({ delayMs }) => delayMs));
      },
    } as unknown as OfferQueue<RunOffer>,
    tags: { prioritiesOf: async () => [1] } as unknown as StartTags,
    slots: 1,
    limits: { waiting: 1, waitingPerUser: 1 },
    clock: () => 0,
    onFault: (error) => {
      throw error;
    },
  });
});

async function work(): Promise<void> {
  line.reserve(run)?.begin(claimed);
  await line.settled();
}

test('a run that ends while no other run of its thread is open leads to no question', async () => {
  perform = () => line.remove(run, { hasOpenRun: false });
  await work();
  expect(looked).toEqual([]);
});

test('a run that ends before another one of its thread leads to one question', async () => {
  perform = () => line.remove(run, { hasOpenRun: true });
  await work();
  expect(looked).toEqual([['thread']]);
});

test('a run whose end is not known here leads to a question, each time', async () => {
  perform = () => line.remove(run, { hasOpenRun: false });
  await work();
  perform = () => undefined;
  await work();
  expect(looked).toEqual([['thread']]);
});

test.each([
  ['a run that was made before the clock was set back is offered at once', { run_at: null }, 0],
  ['a run that has a time of its own is offered for that time', { run_at: toIso(minuteMs) }, minuteMs],
])('%s', async (_name, { run_at }, inMs) => {
  waiting = [{ ...run, created_at: toIso(2 * hourMs), run_at, attempt: 0 }];
  line.remove(run, { hasOpenRun: true });
  await expect.poll(() => offeredInMs).toEqual([inMs]);
});
