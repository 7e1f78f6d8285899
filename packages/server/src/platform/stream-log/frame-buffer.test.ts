import { expect, test } from 'vitest';
import { FrameBuffer } from './frame-buffer.ts';
import { newFrame, type StreamFrame } from './stream-frame.ts';

function frame(id: number): StreamFrame {
  return newFrame({ event: 'n', data: '1', id, atMs: 0 });
}

test('keeps the newest frames and their positions while older ones are evicted', () => {
  const buffer = new FrameBuffer({ framesMax: 3, bytesMax: 1_000_000, base: 0 });
  for (let id = 1; id <= 1_000; id += 1) {
    buffer.push(frame(id));
    while (buffer.isOver()) buffer.evictOldest();
    expect(buffer.size).toBe(Math.min(id, 3));
    expect(buffer.take(buffer.positionAfter(id - 1), 1_000)).toMatchObject([{ id }]);
    expect(buffer.positionAfter(id)).toBe(id);
  }
  expect([buffer.firstPosition, buffer.missingUpTo, buffer.earliestId]).toEqual([997, 997, 998]);
  expect(buffer.take(buffer.firstPosition, 1_000).map(({ id }) => id)).toEqual([998, 999, 1_000]);
});

test('finds a position even if ids skip numbers', () => {
  const buffer = new FrameBuffer({ framesMax: 10, bytesMax: 1_000_000, base: 0 });
  for (const id of [1, 2, 1_000_001, 1_000_002]) buffer.push(frame(id));
  const idsAfter = (id: number) => buffer.take(buffer.positionAfter(id), 1_000).map((kept) => kept.id);
  expect(idsAfter(1)).toEqual([2, 1_000_001, 1_000_002]);
  expect(idsAfter(500)).toEqual([1_000_001, 1_000_002]);
  expect(idsAfter(1_000_002)).toEqual([]);
});

test('counts the bytes of its frames, and none once they are gone', () => {
  const buffer = new FrameBuffer({ framesMax: 10, bytesMax: 1_000_000, base: 0 });
  for (let id = 1; id <= 5; id += 1) buffer.push(frame(id));
  expect(buffer.bytes).toBeGreaterThan(5 * 200);
  buffer.clear();
  expect([buffer.bytes, buffer.size, buffer.earliestId]).toEqual([0, 0, 6]);
});

test('exceeds its limits by number or by size, but never with a single frame', () => {
  const many = new FrameBuffer({ framesMax: 2, bytesMax: 1_000_000, base: 0 });
  for (let id = 1; id <= 3; id += 1) many.push(frame(id));
  expect([many.isOver(), many.isOver(2)]).toEqual([true, false]);
  const large = new FrameBuffer({ framesMax: 10, bytesMax: 10, base: 0 });
  large.push(frame(1));
  expect(large.isOver()).toBe(false);
  large.push(frame(2));
  expect(large.isOver()).toBe(true);
});

test('returns at least one frame, however small the limit is', () => {
  const buffer = new FrameBuffer({ framesMax: 10, bytesMax: 1_000_000, base: 0 });
  buffer.push(frame(1));
  buffer.push(frame(2));
  expect(buffer.take(0, 1)).toHaveLength(1);
  expect(buffer.take(2, 1)).toHaveLength(0);
});
