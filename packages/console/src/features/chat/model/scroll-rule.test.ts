import { expect, test } from 'vitest';
import { followsAfter, isAtEnd, scrollTarget, type Viewport } from './scroll-rule.ts';

const end: Viewport = { top: 600, height: 400, contentHeight: 1_000 };
const above: Viewport = { ...end, top: 300 };
const grown = (view: Viewport): Viewport => ({ ...view, contentHeight: view.contentHeight + 200 });

test('a reader at the end goes on seeing the end while text arrives', () => {
  expect(isAtEnd(end)).toBe(true);
  expect(followsAfter(true, end, grown(end))).toBe(true);
  expect(scrollTarget(true, grown(end))).toBe(800);
});

test('a reader who has scrolled up stays where the text is, however much arrives', () => {
  expect(followsAfter(true, end, above)).toBe(false);
  expect(followsAfter(false, above, grown(above))).toBe(false);
  expect(scrollTarget(false, grown(above))).toBeNull();
});

test('coming back to the end follows again', () => {
  expect(followsAfter(false, above, end)).toBe(true);
});

test('a page that is shorter than the window needs no scrolling', () => {
  expect(scrollTarget(true, { top: 0, height: 400, contentHeight: 200 })).toBeNull();
});
