import * as first from './migrations/001-accounts.ts';

/** In the order in which they run; one that has run is never changed. */
export const accountMigrations = [first];
