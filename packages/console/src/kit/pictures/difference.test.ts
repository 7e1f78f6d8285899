import { expect, it } from 'vitest';
import { writeDifference } from './difference.ts';

it('shows the largest difference as white, and says how many pixels differ and by how much', () => {
  const left = Uint8ClampedArray.from([10, 20, 30, 255, 0, 0, 0, 255, 9, 9, 9, 255, 0, 0, 0, 0]);
  const right = Uint8ClampedArray.from([10, 20, 30, 255, 0, 20, 5, 255, 9, 9, 19, 255, 0, 0, 0, 0]);
  const into = new Uint8ClampedArray(16);
  expect(writeDifference(left, right, into)).toEqual({ share: 0.5, largest: 20 });
  expect([...into]).toEqual([0, 0, 0, 255, 255, 255, 255, 255, 128, 128, 128, 255, 0, 0, 0, 255]);
});

it('counts a place that only one of two pictures covers, and finds none between the same pictures', () => {
  const clear = new Uint8ClampedArray(4);
  const black = Uint8ClampedArray.from([0, 0, 0, 255]);
  expect(writeDifference(clear, black, new Uint8ClampedArray(4))).toEqual({ share: 1, largest: 255 });
  const into = new Uint8ClampedArray(4);
  expect(writeDifference(black, black, into)).toEqual({ share: 0, largest: 0 });
  expect([...into]).toEqual([0, 0, 0, 255]);
});
