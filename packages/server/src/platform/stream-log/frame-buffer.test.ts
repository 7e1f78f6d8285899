import { expect, test } from 'vitest';
import { FrameBlocks, FrameBuffer } from './frame-buffer.ts';
import { newFrame, type StreamFrame } from './stream-frame.ts';

function frame(id: number): StreamFrame {
  return newFrame({ event: 'n', data: '1', id, atMs: 0 });
}

test('keeps the newest frames and their positions while older ones are evicted', () => {
  const buffer = new FrameBuffer({ framesMax: 3, bytesMax: 1_000_000, base: 0, blocks: new FrameBlocks() });
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
  const buffer = new FrameBuffer({ framesMax: 10, bytesMax: 1_000_000, base: 0, blocks: new FrameBlocks() });
  for (const id of [1, 2, 1_000_001, 1_000_002]) buffer.push(frame(id));
  const idsAfter = (id: number) => buffer.take(buffer.positionAfter(id), 1_000).map((kept) => kept.id);
  expect(idsAfter(1)).toEqual([2, 1_000_001, 1_000_002]);
  expect(idsAfter(500)).toEqual([1_000_001, 1_000_002]);
  expect(idsAfter(1_000_002)).toEqual([]);
});

test('counts the bytes of its frames, and none once they are gone', () => {
  const buffer = new FrameBuffer({ framesMax: 10, bytesMax: 1_000_000, base: 0, blocks: new FrameBlocks() });
  for (let id = 1; id <= 5; id += 1) buffer.push(frame(id));
  expect(buffer.bytes).toBeGreaterThan(16_000);
  buffer.clear();
  expect([buffer.bytes, buffer.size, buffer.earliestId]).toEqual([0, 0, 6]);
});

test('exceeds its limits by number or by size, but never with a single frame', () => {
  const many = new FrameBuffer({ framesMax: 2, bytesMax: 1_000_000, base: 0, blocks: new FrameBlocks() });
  for (let id = 1; id <= 3; id += 1) many.push(frame(id));
  expect([many.isOver(), many.isOver(2)]).toEqual([true, false]);
  const large = new FrameBuffer({ framesMax: 10, bytesMax: 10, base: 0, blocks: new FrameBlocks() });
  large.push(frame(1));
  expect(large.isOver()).toBe(false);
  large.push(frame(2));
  expect(large.isOver()).toBe(true);
});

test('returns at least one frame, however small the limit is', () => {
  const buffer = new FrameBuffer({ framesMax: 10, bytesMax: 1_000_000, base: 0, blocks: new FrameBlocks() });
  buffer.push(frame(1));
  buffer.push(frame(2));
  expect(buffer.take(0, 1)).toHaveLength(1);
  expect(buffer.take(2, 1)).toHaveLength(0);
});

test('gives back each frame as it was, across its blocks', () => {
  const buffer = new FrameBuffer({
    framesMax: 1_000,
    bytesMax: 10_000_000,
    base: 0,
    blocks: new FrameBlocks(),
  });
  const frames = Array.from({ length: 40 }, (_, index) =>
    newFrame({
      event: `values|sub:${index}`,
      data: JSON.stringify('é 漢字 👍'.repeat(index ** 2)),
      id: index + 1,
      atMs: index,
    }),
  );
  for (const one of frames) buffer.push(one);
  expect(buffer.take(0, 10_000_000)).toEqual(frames);
  expect(buffer.take(30, 1)).toEqual([frames[30]]);
  const last = frame(41);
  buffer.push(last);
  for (let left = 41; left > 2; left -= 1) buffer.evictOldest();
  expect(buffer.take(buffer.firstPosition, 10_000_000)).toEqual([frames[39], last]);
  expect([buffer.earliestId, buffer.missingUpTo, buffer.firstPosition]).toEqual([40, 39, 39]);
  buffer.clear();
  expect([buffer.bytes, buffer.size, buffer.missingUpTo, buffer.firstPosition]).toEqual([0, 0, 41, 41]);
});

test('costs whole blocks, which the next stream uses again', () => {
  const blocks = new FrameBlocks();
  const buffers = [1, 2].map(() => new FrameBuffer({ framesMax: 100, bytesMax: 1_000_000, base: 0, blocks }));
  const bytes = [];
  for (const buffer of buffers) {
    for (let id = 1; id <= 9; id += 1)
      buffer.push(newFrame({ event: 'n', data: JSON.stringify('漢'.repeat(1_000)), id, atMs: 0 }));
    bytes.push(buffer.bytes);
    buffer.clear();
  }
  // Three bytes for each character, so five frames in each block.
  expect(bytes).toEqual([2 * 16 * 1_024 + 9 * 24, 2 * 16 * 1_024 + 9 * 24]);
  const [first, second, third] = [1, 2, 3].map(() => blocks.take(1));
  expect(new Set([first?.buffer, second?.buffer, third?.buffer]).size).toBe(3);
  expect([first, second].every((block) => block?.includes('漢'))).toBe(true);
});
