import type { Migration } from '../database/migrate.ts';
import * as first from './migrations/001-leases.ts';

export const ownershipMigrations: readonly Migration[] = [first];
