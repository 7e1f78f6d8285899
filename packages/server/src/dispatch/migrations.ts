import type { Migration } from '../platform/database/migrate.ts';
import * as first from './migrations/001-dispatch.ts';
import * as usage from './migrations/002-task-usage.ts';

export const dispatchMigrations: readonly Migration[] = [first, usage];
