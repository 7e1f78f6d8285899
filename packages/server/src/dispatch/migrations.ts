import type { Migration } from '../platform/database/migrate.ts';
import * as first from './migrations/001-dispatch.ts';

export const dispatchMigrations: readonly Migration[] = [first];
