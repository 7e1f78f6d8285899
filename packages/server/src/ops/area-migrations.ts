import { accountMigrations } from '../accounts/migrations.ts';
import { checkpointMigrations } from '../agents/checkpoints/migrations.ts';
import { conversationMigrations } from '../conversation/migrations.ts';
import { dispatchMigrations } from '../dispatch/migrations.ts';
import { auditMigrations } from '../platform/audit/migrations.ts';
import { identityMigrations } from '../platform/database/gateway-store.ts';
import type { Migration } from '../platform/database/migrate.ts';
import { fileMigrations } from '../platform/files/migrations.ts';
import { jobMigrations } from '../platform/jobs/migrations.ts';
import { ownershipMigrations } from '../platform/ownership/migrations.ts';

/** The steps of each area that owns tables, whether a gateway uses it or not. */
export const areaMigrations: ReadonlyMap<string, readonly Migration[]> = new Map([
  ['identity', identityMigrations],
  ['ownership', ownershipMigrations],
  ['files', fileMigrations],
  ['accounts', accountMigrations],
  ['jobs', jobMigrations],
  ['audit', auditMigrations],
  ['dispatch', dispatchMigrations],
  ['checkpoints', checkpointMigrations],
  ['conversation', conversationMigrations],
]);
