import { expect, it } from 'vitest';
import { compareAt, compareMove } from './compare-position.ts';

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
