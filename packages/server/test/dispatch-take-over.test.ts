import type { Database } from '@switchyard/server/platform/database/database';
import { openDatabase } from '@switchyard/server/platform/database/open';
import type { OwnershipTables } from '@switchyard/server/platform/ownership/tables';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anyWorkflow, held } from './support/dispatch-pool.ts';
import { type DispatchReplicas, startDispatchReplicas } from './support/dispatch-replicas.ts';
import { testReplicas } from './support/replicas.ts';

const suite = testReplicas('when the dispatcher of two replicas');

describe.skipIf(suite.isSkipped)(suite.title, () => {
  let replicas: DispatchReplicas;

  beforeEach(async () => {
    replicas = await startDispatchReplicas(2, {
      workers: [held],
      config: { cluster: { lease_life: 3_000 } },
    });
  });

  afterEach(async () => {
    await replicas?.stop();
  });

  const parts = () => {
    const { gateways, users, workers } = replicas;
    const [a, b] = users;
    const [dispatcher] = gateways;
    const [worker] = workers;
    if (!a || !b || !dispatcher || !worker) throw new Error('Two replicas are needed.');
    return { a, b, dispatcher, worker };
  };

  /** Does something with the row of the lease, over a connection of its own. */
  async function withLeases<Value>(
    work: (leases: Database<OwnershipTables>) => Promise<Value>,
  ): Promise<Value> {
    const url = String(replicas.config.database?.url);
    const database = await openDatabase({ backend: 'postgres', url, poolSize: 1 });
    try {
      return await work(database.withTables<OwnershipTables>());
    } finally {
      await database.close();
    }
  }

  const holderOfLease = (): Promise<string | null> =>
    withLeases(async ({ read }) => {
      const row = await read
        .selectFrom('leases')
        .select('holder')
        .where('key', '=', 'dispatch')
        .executeTakeFirstOrThrow();
      return row.holder;
    });

  it('is shut down, the other one follows its running task to its end, and places the next', async () => {
    const { a, b, dispatcher, worker } = parts();
    const running = await a.submit({ workflow: anyWorkflow });
    await b.until(
      () => b.task(running.id),
      ({ status }) => status === 'running',
    );
    const next = await a.submit({ workflow: anyWorkflow });
    await dispatcher.stop();
    const ended = b.ended(running.id);
    worker.finishRun();
    expect(await ended).toMatchObject({ status: 'completed', attempt: 1 });
    await b.until(
      () => b.task(next.id),
      ({ status }) => status === 'running',
    );
    worker.finishRun();
    expect(await b.ended(next.id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(worker.stats.accepted).toBe(2);
  });

  it('loses its lease without knowing it, the task ends once, in the hands of the other one', async () => {
    const { a, b, worker } = parts();
    const { id } = await a.submit({ workflow: anyWorkflow });
    await b.until(
      () => b.task(id),
      ({ status }) => status === 'running',
    );
    const before = await holderOfLease();
    // What the other replica does when the first one, which stands still, does not renew it in time.
    await withLeases((leases) =>
      leases.write((trx) =>
        trx
          .updateTable('leases')
          .set((lease) => ({ holder: null, token: lease('token', '+', 1) }))
          .where('key', '=', 'dispatch')
          .execute(),
      ),
    );
    await expect.poll(async () => (await holderOfLease()) ?? before).not.toBe(before);
    const ended = b.ended(id);
    await b.until(
      () => b.instance(worker.port),
      ({ currentTaskId }) => currentTaskId === id,
    );
    worker.finishRun();
    expect(await ended).toMatchObject({ status: 'completed', attempt: 1 });
    expect(await a.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(worker.stats.accepted).toBe(1);
  });
});
