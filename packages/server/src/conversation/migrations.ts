import type { Migration } from '../platform/database/migrate.ts';
import * as first from './migrations/001-conversation.ts';

export const conversationMigrations: readonly Migration[] = [first];
