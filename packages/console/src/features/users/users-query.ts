import { listUsers } from '@switchyard/contract/accounts/user';
import { pagesOf } from '../../lib/data/pages.ts';
import { gateway } from '../../lib/gateway.ts';

export const usersKey = ['users'];
const perPage = 100;

/** Accounts whose address has the words, the oldest first. */
export function usersQuery(q: string) {
  return pagesOf([...usersKey, { q }], (offset, signal) =>
    gateway.call(listUsers, { query: { limit: perPage, offset, q: q || undefined }, signal }),
  );
}
