import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { ChangeLock } from '../../platform/ownership/change-lock.ts';
import { ownershipMigrations } from '../../platform/ownership/migrations.ts';
import { Ownership } from '../../platform/ownership/ownership.ts';
import type { OwnershipTables } from '../../platform/ownership/tables.ts';
import { Memories } from './memories.ts';
import { MemoryFiles } from './memory-files.ts';
import { MemoryLock } from './memory-lock.ts';

const ada = { user: 'ada' };

describe('concurrent changes of a memory by several replicas', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let database: Database<OwnershipTables>;
  let owners: Ownership[];
  beforeEach(async () => {
    folder = temporaryFolder();
    database = (await openDatabase({ backend: 'memory' })).withTables();
    await migrate(database.withTables(), 'ownership', ownershipMigrations);
    owners = [];
  });
  afterEach(async () => {
    await Promise.all(owners.map((ownership) => ownership.close()));
    await database.close();
    folder.remove();
  });

  function replica(): { lock: MemoryLock; memories: Memories } {
    const ownership = new Ownership({ database });
    owners.push(ownership);
    const lock = new MemoryLock(new ChangeLock(ownership));
    const memories = new Memories({
      files: new MemoryFiles(folder.path),
      lock,
      forgetWaiting: async () => undefined,
      clock: () => 0,
      options: {
        enabled: true,
        learns: true,
        injection: true,
        maxFacts: 100,
        maxInjectionTokens: 1_000,
        debounceMs: 1_000,
        minConfidence: 0.5,
      },
    });
    return { lock, memories };
  }

  it('are all kept', async () => {
    const replicas = [replica(), replica(), replica()];
    const wanted = Array.from({ length: 12 }, (_, n) => `fact ${n}`);
    await Promise.all(wanted.map((content, n) => replicas[n % 3]?.memories.addFact(ada, null, { content })));
    const { facts } = await replica().memories.get(ada, null);
    expect(facts.map(({ content }) => content).sort()).toEqual([...wanted].sort());
  });

  it('wait only for changes of the same memory', async () => {
    const [one, other] = [replica(), replica()];
    const gate = newDeferred();
    const order: string[] = [];
    const first = one.lock.run({ userId: 'ada', agent: null }, async () => {
      order.push('begun');
      await gate.promise;
      order.push('ended');
    });
    await other.lock.run({ userId: 'bob', agent: null }, async () => void order.push('of bob'));
    await other.lock.run({ userId: 'ada', agent: 'painter' }, async () => void order.push('of the painter'));
    const second = other.lock.run({ userId: 'ada', agent: null }, async () => void order.push('next'));
    gate.resolve();
    await Promise.all([first, second]);
    expect(order.at(-1)).toBe('next');
    expect(order.indexOf('ended')).toBeGreaterThan(order.indexOf('of the painter'));
  });

  it('release the memory when one fails', async () => {
    const { lock } = replica();
    const key = { userId: 'ada', agent: null };
    await expect(lock.run(key, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await replica().lock.run(key, async () => 'free')).toBe('free');
  });
});
