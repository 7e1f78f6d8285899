import { expect, test } from 'vitest';
import { ownershipConformance, startHolding } from '../../../testing/ownership-conformance.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { ownershipMigrations } from './migrations.ts';
import type { Ownership } from './ownership.ts';

ownershipConformance('memory', async () => {
  const database = await openDatabase({ backend: 'memory' });
  await migrate(database, 'ownership', ownershipMigrations);
  return { connect: async () => database.withTables(), close: () => database.close(), contenders: 50 };
});

test('a hold that fails before its work begins says why to the test that waits for it', async () => {
  const failing = { hold: () => Promise.reject(new Error('closed')) } as unknown as Ownership;
  await expect(startHolding(failing, 'key').started).rejects.toThrow('closed');
});
