import { expect, it } from 'vitest';
import { compareAt, compareMove, moved, viewAfterKey, zoomed } from './compare-view.ts';
import { wholePicture } from './zoom.ts';

const key = (name: string, shiftKey = false) => ({ key: name, shiftKey });

it('moves the edge with the arrow keys, finer with shift, and stays within the picture', () => {
  expect(compareMove(50, key('ArrowRight'))).toBe(55);
  expect(compareMove(50, key('ArrowLeft', true))).toBe(49);
  expect(compareMove(98, key('ArrowRight'))).toBe(100);
  expect(compareMove(2, key('PageDown'))).toBe(0);
  expect(compareMove(50, key('Home'))).toBe(0);
  expect(compareMove(50, key('End'))).toBe(100);
  expect(compareMove(50, key('Enter'))).toBeNull();
});

it('follows the pointer, and stays at the border beyond it', () => {
  expect(compareAt(150, { left: 100, width: 200 })).toBe(25);
  expect(compareAt(90, { left: 100, width: 200 })).toBe(0);
  expect(compareAt(500, { left: 100, width: 200 })).toBe(100);
  expect(compareAt(500, { left: 100, width: 0 })).toBe(0);
});

it('moves a zoomed picture to its border and not beyond it', () => {
  const twice = zoomed(wholePicture, 2);
  expect(moved(twice, { x: 0.2, y: 0 })).toEqual({ scale: 2, x: 0.4, y: 0.5 });
  expect(moved(twice, { x: 9, y: -9 })).toEqual({ scale: 2, x: 0.25, y: 0.75 });
  expect(moved(wholePicture, { x: 1, y: 1 })).toEqual(wholePicture);
  expect(zoomed(moved(twice, { x: 9, y: 9 }), 0.1)).toEqual(wholePicture);
});

it('zooms and moves by keys, and leaves other keys alone', () => {
  expect(viewAfterKey(wholePicture, '+')?.scale).toBe(1.5);
  expect(viewAfterKey(zoomed(wholePicture, 2), 'ArrowRight')?.x).toBeCloseTo(0.6);
  expect(viewAfterKey(zoomed(wholePicture, 2), '0')).toEqual(wholePicture);
  expect(viewAfterKey(wholePicture, 'Tab')).toBeNull();
});
