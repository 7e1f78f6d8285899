import type { Migration } from '../database/migrate.ts';
import * as first from './migrations/001-shared-folder.ts';

export const fileMigrations: readonly Migration[] = [first];
