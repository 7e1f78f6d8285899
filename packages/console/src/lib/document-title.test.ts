import { expect, it } from 'vitest';
import { documentTitle } from './document-title.ts';

it.each([
  [{ running: 0, failed: 0 }, 'Tasks · Switchyard'],
  [{ running: 3, failed: 0 }, '▶ 3 · Tasks · Switchyard'],
  [{ running: 3, failed: 1 }, '▶ 3 ✕ 1 · Tasks · Switchyard'],
] as const)('with the counts %j the title is %s', (counts, title) => {
  expect(documentTitle('Tasks', counts)).toBe(title);
});

it('leaves out a page that has no title yet', () => {
  expect(documentTitle('', { running: 0, failed: 0 })).toBe('Switchyard');
});
