import * as first from './migrations/001-accounts.ts';
import * as second from './migrations/002-grants.ts';

/** In the order in which they are applied. A released migration never changes. */
export const accountMigrations = [first, second];
