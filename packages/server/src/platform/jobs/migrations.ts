import type { Migration } from '../database/migrate.ts';
import * as first from './migrations/001-jobs.ts';
import * as waits from './migrations/002-waits.ts';

export const jobMigrations: readonly Migration[] = [first, waits];
