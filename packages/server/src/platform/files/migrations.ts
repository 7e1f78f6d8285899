import type { Migration } from '../database/migrate.ts';
import * as first from './migrations/001-shared-folder.ts';
import * as second from './migrations/002-stored-objects.ts';

export const fileMigrations: readonly Migration[] = [first, second];
