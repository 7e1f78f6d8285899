import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { expect, test } from 'vitest';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { type InstanceRow, InstanceStore, syncInstances } from './instance-store.ts';

const postgres = testPostgres('on Postgres');

test.skipIf(postgres.isSkipped)(
  `${postgres.title} writes that change many instances in different orders do not wait for each other for ever`,
  async () => {
    const opened = await openDatabase(patientPostgres(await postgres.createDatabase(), 8));
    await migrate(opened, 'dispatch', dispatchMigrations);
    const database = opened.withTables<DispatchTables>();
    const ports = Array.from({ length: 12 }, (_, index) => 8_000 + index);
    const instances = ports.map((port) => ({ ip: '127.0.0.1', port }));
    const server = { id: 'pool', name: 'pool', kind: 'comfyui', instances } as const;
    await database.write((trx) =>
      syncInstances(
        trx,
        { servers: [server] } as unknown as Parameters<typeof syncInstances>[1],
        '2030-01-01',
      ),
    );
    const store = new InstanceStore(database);
    const rows = await store.list();
    expect(rows).toHaveLength(ports.length);
    const changes = (order: InstanceRow[]) =>
      new Map(order.map((row) => [row.id, { token: 0, columns: { ...row, queueRemaining: 1 } }] as const));
    for (let round = 0; round < 10; round += 1) {
      const reversed = [...rows].reverse();
      await Promise.all([rows, reversed, rows, reversed].map((order) => store.changeMany(changes(order))));
    }
    expect((await store.list()).map(({ queueRemaining }) => queueRemaining)).toEqual(ports.map(() => 1));
    await opened.close();
  },
);
