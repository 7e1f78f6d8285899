import { expect, it } from 'vitest';
import { auditQueryOf, hasFilter, targetName } from './audit-query.ts';

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

it('calls a target by what people know of it', () => {
  const userName = (id: string) => (id === 'u1' ? 'ann@example.com' : id);
  expect(targetName('user:u1', {}, userName)).toBe('user: ann@example.com');
  expect(targetName('user:gone', { email: 'bob@example.com' }, userName)).toBe('user: bob@example.com');
  expect(targetName('access_token:t1', { name: 'laptop' }, userName)).toBe('access_token: laptop');
  expect(targetName('instance:[::1]:8188', {}, userName)).toBe('instance: [::1]:8188');
});
