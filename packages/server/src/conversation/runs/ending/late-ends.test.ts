import { describe, expect, test } from 'vitest';
import { toIso } from '../../../lib/clock.ts';
import type { RunRow } from '../../tables.ts';
import { LateEnds } from './late-ends.ts';

const nowMs = Date.parse('2026-11-27T12:00:00.000Z');
const ended = {
  run_id: 'r',
  thread_id: 't',
  graph_id: 'chat',
  user_id: 'alice',
  checkpoint_id: null,
  status: 'success',
  error: null,
  error_name: null,
  attempt: 2,
  ended_at: toIso(nowMs - 5_000),
} as RunRow;

/** Returns what is written to the stream of the run. */
async function told(run: RunRow | undefined, { isEnded = false, followed = ['r'] } = {}): Promise<unknown[]> {
  const written: unknown[] = [];
  const ends = new LateEnds({
    streamLog: {
      followed,
      isEnded: async () => isEnded,
      begin: (...given) => void written.push(given),
      append: (...given) => written.push(given),
      end: (...given) => void written.push(given),
    },
    claims: { find: async () => run },
    states: { current: async () => null },
    clock: () => nowMs,
  });
  await ends.sweep();
  return written;
}

describe('the stream of a run that has ended, and whose process is gone,', () => {
  test('gets the values and its end, behind every frame of an attempt', async () => {
    expect(await told(ended)).toEqual([['r', { base: 2_000_000 }], ['r', 'values', '{}'], ['r']]);
  });

  test('says why the run has failed', async () => {
    const failed = { ...ended, status: 'error', error: 'No more paint.', error_name: 'PaintError' } as RunRow;
    const frames = await told(failed);
    const error = { error: 'PaintError', message: 'No more paint.', name: 'PaintError' };
    expect(frames).toContainEqual(['r', 'error', JSON.stringify(error)]);
    expect(frames.at(-1)).toEqual(['r']);
  });
});

test.each([
  ['the run is at work', { ...ended, ended_at: null }, {}],
  ['the process that ended it may be about to tell', { ...ended, ended_at: toIso(nowMs - 4_999) }, {}],
  ['the stream has its end', ended, { isEnded: true }],
  ['no one follows it', ended, { followed: [] }],
  ['the run is deleted', undefined, {}],
])('a stream stays as it is when %s', async (_case, run, stream) => {
  expect(await told(run as RunRow | undefined, stream)).toEqual([]);
});
