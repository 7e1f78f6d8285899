import { type RawBuilder, sql } from 'kysely';
import { type Owner, requireOwner } from '../../lib/owner.ts';

export interface ItemKey {
  /** Labels joined with dots. */
  namespace: string;
  key: string;
}

/** Matches the namespace itself and those below it: `/` is the character after the dot. */
export function below(prefix: string, column: string): RawBuilder<boolean> {
  const name = sql.ref(column);
  return sql<boolean>`(${name} = ${prefix} or (${name} > ${`${prefix}.`} and ${name} < ${`${prefix}/`}))`;
}

/** Matches items that have not expired, whether expired ones were swept already or not. */
export function isLive(now: string): RawBuilder<boolean> {
  return sql<boolean>`(store_items.expires_at is null or store_items.expires_at > ${now})`;
}

export function userOf(owner: Owner): string {
  const checked = requireOwner(owner);
  if ('user' in checked) return checked.user;
  if ('admin' in checked) return checked.admin;
  throw new Error('The store is asked for its user.');
}
