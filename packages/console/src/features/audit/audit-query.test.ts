import { expect, it } from 'vitest';
import { auditQueryOf, hasFilter } from './audit-query.ts';

const none = { actor: null, action: null, target: null, from: null, to: null };

it('includes the whole last day, by the clock of the reader', () => {
  const { from, to } = auditQueryOf({ ...none, from: '2026-03-01', to: '2026-03-01' });
  expect(from).toBe(new Date(2026, 2, 1).toISOString());
  expect(to).toBe(new Date(2026, 2, 2).toISOString());
});

it('leaves out a day that is none', () => {
  expect(auditQueryOf({ ...none, from: 'yesterday' }).from).toBeUndefined();
});

it('knows whether anything is filtered', () => {
  expect(hasFilter(none)).toBe(false);
  expect(hasFilter({ ...none, action: 'user.created' })).toBe(true);
});
