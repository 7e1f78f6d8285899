import type { Migration } from '../database/migrate.ts';
import * as first from './migrations/001-audit.ts';

export const auditMigrations: readonly Migration[] = [first];
