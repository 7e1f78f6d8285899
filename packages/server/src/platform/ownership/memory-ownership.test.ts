import { ownershipConformance } from '../../../testing/ownership-conformance.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { ownershipMigrations } from './migrations.ts';

ownershipConformance('memory', async () => {
  const database = await openDatabase({ backend: 'memory' });
  await migrate(database, 'ownership', ownershipMigrations);
  return { connect: async () => database.withTables(), close: () => database.close(), contenders: 50 };
});
