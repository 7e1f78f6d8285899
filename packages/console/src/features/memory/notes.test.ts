import { expect, it } from 'vitest';
import { isBlank, writtenNotes } from './notes.ts';

const empty = { summary: '', updatedAt: '' };
const blank = {
  version: '1.0' as const,
  lastUpdated: '',
  user: { workContext: empty, personalContext: empty, topOfMind: empty },
  history: { recentMonths: empty, earlierContext: empty, longTermBackground: empty },
  facts: [],
};

it('shows those summaries that hold something', () => {
  const memory = { ...blank, user: { ...blank.user, topOfMind: { summary: 'A poster', updatedAt: 'then' } } };
  expect(writtenNotes(memory)).toEqual([{ key: 'topOfMind', summary: 'A poster', updatedAt: 'then' }]);
  expect(isBlank(memory)).toBe(false);
});

it('is blank without summaries and facts', () => {
  expect(isBlank(blank)).toBe(true);
});
