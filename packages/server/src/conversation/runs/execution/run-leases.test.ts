import { expect, test } from 'vitest';
import { aroundWrites } from '../../../../testing/around-writes.ts';
import { ManualTime } from '../../../../testing/manual-time.ts';
import { newDeferred } from '../../../lib/async/deferred.ts';
import { migrate } from '../../../platform/database/migrate.ts';
import { openDatabase } from '../../../platform/database/open.ts';
import { LeaseLost } from '../../../platform/ownership/lease.ts';
import { ownershipMigrations } from '../../../platform/ownership/migrations.ts';
import { Ownership } from '../../../platform/ownership/ownership.ts';
import type { OwnershipTables } from '../../../platform/ownership/tables.ts';
import { RunWorker } from './run-leases.ts';

test('runs are stopped when their lease may belong to another, while the database still does not answer', async () => {
  const opened = await openDatabase({ backend: 'memory' });
  await migrate(opened, 'ownership', ownershipMigrations);
  const database = opened.withTables<OwnershipTables>();
  const answers = newDeferred();
  let isAway = false;
  const time = new ManualTime();
  const ownership = new Ownership({
    database: aroundWrites(database, async (write) => {
      if (isAway) await answers.promise;
      return write();
    }),
    timer: time.timer,
    steadyClock: time.now,
  });
  const worker = new RunWorker({ ownership, timer: time.timer });
  const lost: unknown[] = [];
  worker.listen({ onLost: (error) => lost.push(error) });
  await worker.open();

  isAway = true;
  time.advance(15_000);
  await expect.poll(() => lost).toEqual([expect.any(LeaseLost)]);
  expect(worker.id).toBeNull();

  answers.resolve();
  await worker.close();
  expect(lost).toHaveLength(1);
  await ownership.close();
  await opened.close();
});
