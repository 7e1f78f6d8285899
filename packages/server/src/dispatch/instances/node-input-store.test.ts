import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import type { NodeInput } from '../worker-client/worker-client.ts';
import { NodeInputStore } from './node-input-store.ts';

let opened: Database<unknown>;
let database: Database<DispatchTables>;
let writes: number;

beforeEach(async () => {
  opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'dispatch', dispatchMigrations);
  const tables = opened.withTables<DispatchTables>();
  writes = 0;
  database = Object.assign(Object.create(tables) as Database<DispatchTables>, {
    read: tables.read,
    write: (unit: Parameters<typeof tables.write>[0]) => {
      writes += 1;
      return tables.write(unit);
    },
  });
});
afterEach(() => opened.close());

describe('what the inputs of nodes take', () => {
  it('is known for the requested classes, also in another process', async () => {
    await newStore().learn({ Grow: { width: width(8) }, Shrink: { width: width(4) } });

    expect(await newStore().of(['Grow', 'Unheard of'])).toEqual(new Map([['Grow', { width: width(8) }]]));
    expect(await newStore().of([])).toEqual(new Map());
  });

  it('is what a worker told last', async () => {
    await newStore().learn({ Grow: { width: width(8) } });
    await newStore().learn({ Grow: { width: width(16) } });

    expect(await newStore().of(['Grow'])).toEqual(new Map([['Grow', { width: width(16) }]]));
  });

  it('is written once when many workers tell the same at once', async () => {
    const store = newStore();
    const told = Object.fromEntries(
      Array.from({ length: 450 }, (_, index) => [`N${index}`, { width: width(1) }]),
    );
    await Promise.all(Array.from({ length: 20 }, () => store.learn(told)));

    expect(writes).toBe(3);
    expect((await store.of(Object.keys(told))).size).toBe(450);
  });
});

function newStore(): NodeInputStore {
  return new NodeInputStore(database, () => 0);
}

function width(minimum: number): NodeInput {
  return { type: 'integer', minimum };
}
