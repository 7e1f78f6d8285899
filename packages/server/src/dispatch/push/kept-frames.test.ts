import { beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { KeptFrames, type MissedFrames } from './kept-frames.ts';
import type { PushFrame } from './push-frames.ts';

const limits = { framesPerReader: 3, bytesPerReader: 100, bytesTogether: 120, keptMs: 1_000 };
const ann = { user: 'ann' };
const bob = { user: 'bob' };
let time: ManualTime;
let kept: KeptFrames;

beforeEach(() => {
  time = new ManualTime();
  kept = new KeptFrames({ epoch: 'e', timer: time.timer, limits });
});

function say(owner: string | null, payload: string): string {
  const cursor = kept.nextCursor();
  const frame: PushFrame = { topic: 'tasks', owner, taskId: null, replaces: null, payload };
  kept.keep(frame);
  return cursor;
}

function textsOf(missed: MissedFrames): unknown {
  return 'frames' in missed ? missed.frames.map(({ payload }) => payload) : missed.resync;
}

test('a reader gets the frames behind its cursor, in their order', () => {
  kept.enter(ann);
  const start = kept.cursor;
  const first = say('ann', '1');
  say('ann', '2');
  say(null, 'all');
  expect(textsOf(kept.after(ann, start))).toEqual(['1', '2', 'all']);
  expect(textsOf(kept.after(ann, first))).toEqual(['2', 'all']);
  expect(textsOf(kept.after(ann, kept.cursor))).toEqual([]);
});

test('a reader gets no frame of another user, and an administrator gets all', () => {
  for (const reader of [ann, bob, 'all'] as const) kept.enter(reader);
  const start = kept.cursor;
  say('ann', 'a');
  say('bob', 'b');
  expect(textsOf(kept.after(ann, start))).toEqual(['a']);
  expect(textsOf(kept.after(bob, start))).toEqual(['b']);
  expect(textsOf(kept.after('all', start))).toEqual(['a', 'b']);
});

test('a cursor behind which a frame was dropped cannot be resumed, a later one can', () => {
  kept.enter(ann);
  const cursors = ['1', '2', '3', '4', '5'].map((payload) => say('ann', payload));
  expect(textsOf(kept.after(ann, cursors[0] ?? ''))).toBe('too_old');
  expect(textsOf(kept.after(ann, cursors[1] ?? ''))).toEqual(['3', '4', '5']);
});

test('a busy user loses their own oldest frames and none of others', () => {
  kept.enter(ann);
  kept.enter(bob);
  const start = kept.cursor;
  say('bob', 'b'.repeat(40));
  const between = kept.cursor;
  for (let frame = 0; frame < 3; frame += 1) say('ann', 'a'.repeat(45));
  expect(textsOf(kept.after(bob, start))).toEqual(['b'.repeat(40)]);
  expect(textsOf(kept.after(ann, between))).toBe('too_old');
});

test('frames are kept for a while after the last socket has closed, and then forgotten', () => {
  kept.enter(ann);
  kept.enter(ann);
  const start = kept.cursor;
  kept.leave(ann);
  time.advance(5_000);
  say('ann', '1');
  kept.leave(ann);
  time.advance(999);
  expect(textsOf(kept.after(ann, start))).toEqual(['1']);
  time.advance(1);
  expect(kept.isNeeded).toBe(false);
  expect(textsOf(kept.after(ann, start))).toBe('too_old');
});

test('a socket that opens in time keeps the frames', () => {
  kept.enter(ann);
  const start = kept.cursor;
  kept.leave(ann);
  time.advance(999);
  kept.enter(ann);
  time.advance(5_000);
  say('ann', '1');
  expect(textsOf(kept.after(ann, start))).toEqual(['1']);
});

test('a cursor of another process, of the future, or of no meaning is unknown', () => {
  kept.enter(ann);
  for (const cursor of ['other.0', 'e.1', 'e.', 'e', '', 'e.-1', 'e.1e3', 'e.0.0', 'ee.0'])
    expect([cursor, textsOf(kept.after(ann, cursor))]).toEqual([cursor, 'unknown_cursor']);
});
