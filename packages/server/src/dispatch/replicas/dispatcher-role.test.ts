import { expect, test } from 'vitest';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { ownershipMigrations } from '../../platform/ownership/migrations.ts';
import { Ownership } from '../../platform/ownership/ownership.ts';
import type { OwnershipTables } from '../../platform/ownership/tables.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { DispatcherRole } from './dispatcher-role.ts';

const log = createLogger({ level: 'silent', format: 'json' });

async function twoReplicas() {
  const database = await openDatabase({ backend: 'memory' });
  await migrate(database, 'ownership', ownershipMigrations);
  const ownership = new Ownership({ database: database.withTables<OwnershipTables>() });
  const happened: string[] = [];
  const newRole = (name: string, { fails = false }: { fails?: boolean } = {}) => {
    const role = new DispatcherRole({ ownership, log });
    role.onChange((isLeading) => happened.push(`${name} ${isLeading ? 'leads' : 'led'}`));
    const start = (): void =>
      role.start({
        lead: async () => {
          if (fails) throw new Error('The database is away.');
        },
        follow: async () => void happened.push(`${name} follows`),
      });
    return { role, start };
  };
  const close = async () => {
    await ownership.close();
    await database.close();
  };
  return { newRole, happened, close };
}

test('one replica is the dispatcher until it closes, and then the next', async () => {
  const { newRole, happened, close } = await twoReplicas();
  const [one, two] = [newRole('one'), newRole('two')];
  one.start();
  await one.role.led;
  two.start();
  expect([one.role.isLeading, two.role.isLeading]).toEqual([true, false]);
  await one.role.close();
  await two.role.led;
  expect(happened).toEqual(['one leads', 'one led', 'one follows', 'two leads']);
  expect(two.role.token).toBe((one.role.token ?? 0) + 1);
  await two.role.close();
  await close();
});

test('a replica that cannot begin to place tasks lets another one do it', async () => {
  const { newRole, happened, close } = await twoReplicas();
  const [one, two] = [newRole('one', { fails: true }), newRole('two')];
  one.start();
  await expect(one.role.led).rejects.toThrow('The database is away.');
  await expect.poll(() => happened).toContain('one follows');
  two.start();
  await two.role.led;
  expect(two.role.isLeading).toBe(true);
  await one.role.close();
  await two.role.close();
  await close();
});
