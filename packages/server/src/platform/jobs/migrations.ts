import type { Migration } from '../database/migrate.ts';
import * as first from './migrations/001-jobs.ts';

export const jobMigrations: readonly Migration[] = [first];
