import { expect, it } from 'vitest';
import {
  brushMove,
  brushRadii,
  emptyHistory,
  type MaskStep,
  maskSizeOf,
  redo,
  undo,
  withStep,
} from './mask-strokes.ts';

const stroke = (x: number): MaskStep => ({ kind: 'stroke', erases: false, radius: 4, points: [{ x, y: 0 }] });

it('undoes and redoes steps, and forgets what was undone at the next step', () => {
  const two = withStep(withStep(emptyHistory, stroke(1)).history, { kind: 'invert' }).history;
  const one = undo(two);
  expect(one.steps).toEqual([stroke(1)]);
  expect(redo(one)).toEqual(two);
  expect(undo(undo(one)).steps).toEqual([]);
  expect(redo(two)).toEqual(two);
  const other = withStep(one, { kind: 'clear' }).history;
  expect(other).toEqual({ steps: [stroke(1), { kind: 'clear' }], undone: [] });
});

it('keeps a bounded number of steps, and settles the oldest', () => {
  let history = emptyHistory;
  const settled: (MaskStep | undefined)[] = [];
  for (let at = 0; at < 202; at += 1) {
    const added = withStep(history, stroke(at));
    history = added.history;
    settled.push(added.settled);
  }
  expect(history.steps).toHaveLength(200);
  expect(settled.filter((step) => step !== undefined)).toEqual([stroke(0), stroke(1)]);
});

it('paints the mask of a vast picture smaller, in the same shape', () => {
  expect(maskSizeOf({ width: 768, height: 512 })).toEqual({ width: 768, height: 512 });
  expect(maskSizeOf({ width: 8_192, height: 8_192 })).toEqual({ width: 2_000, height: 2_000 });
  expect(maskSizeOf({ width: 100_000, height: 1 })).toEqual({ width: 100_000, height: 1 });
});

it('offers fine sizes of the brush on half of its slider, and each of them once', () => {
  const radii = brushRadii({ least: 1, most: 400 });
  expect([radii[0], radii[1], radii.at(-1)]).toEqual([1, 2, 400]);
  expect(radii).toEqual([...new Set(radii)].sort((one, other) => one - other));
  expect(radii[Math.floor(radii.length / 2)]).toBeLessThan(60);
});

it('moves the brush by keys within the picture, finer with shift', () => {
  const on = { radius: 10, width: 100, height: 50 };
  const key = (name: string, shiftKey = false) => ({ key: name, shiftKey });
  expect(brushMove({ x: 50, y: 25 }, key('ArrowRight'), on)).toEqual({ x: 55, y: 25 });
  expect(brushMove({ x: 50, y: 25 }, key('ArrowUp', true), on)).toEqual({ x: 50, y: 24 });
  expect(brushMove({ x: 99, y: 49 }, key('ArrowDown'), on)).toEqual({ x: 99, y: 50 });
  expect(brushMove({ x: 2, y: 25 }, key('ArrowLeft'), on)).toEqual({ x: 0, y: 25 });
  expect(brushMove({ x: 2, y: 25 }, key('Enter'), on)).toBeNull();
});
