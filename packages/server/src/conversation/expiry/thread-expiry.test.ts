import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyRun } from '../../../testing/journal-fixture.ts';
import { ManualTime } from '../../../testing/manual-time.ts';
import { toIso } from '../../lib/clock.ts';
import { hourMs, minuteMs } from '../../lib/time-units.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import { requireNoOpenRun } from '../runs/records/run-store.ts';
import type { ConversationTables } from '../tables.ts';
import { type ForgetThread, setBusy, ThreadStore } from '../threads/thread-store.ts';
import { ThreadExpiry } from './thread-expiry.ts';
import { type ThreadTtl, ThreadTtlStore } from './thread-ttl-store.ts';

const postgres = testPostgres('threads that expire on Postgres');
const owner = { user: 'ada' };

describe('threads that expire in memory', () => threadsExpire(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  threadsExpire(async () => patientPostgres(await postgres.createDatabase(), 5)),
);

function threadsExpire(where: () => Promise<DatabaseOptions>): void {
  let database: Database<ConversationTables>;
  let store: ThreadStore;
  let time: ManualTime;
  let expiry: ThreadExpiry;
  let failures = 0;
  /** Called after the sweep has read which threads are due. */
  let meanwhile: () => Promise<unknown>;
  const cut: string[] = [];
  const warnings: object[] = [];
  const now = () => toIso(time.now());

  beforeEach(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ConversationTables>();
    store = new ThreadStore(database);
    time = new ManualTime();
    failures = 0;
    meanwhile = async () => undefined;
    cut.length = 0;
    warnings.length = 0;
    const ttls = new ThreadTtlStore(database);
    expiry = new ThreadExpiry({
      store: {
        due: async (at, limit) => {
          const found = await ttls.due(at, limit);
          await meanwhile();
          return found;
        },
        postpone: (...given) => ttls.postpone(...given),
      },
      remove: async (thread, confirm) => {
        failures -= 1;
        if (failures >= 0) throw new Error('the disk is full');
        await store.delete({ ...thread }, { alongside: [confirm as ForgetThread], at: now() });
      },
      keepLatest: async (threadId, confirm) => {
        await database.write((trx) => confirm(trx as WriteTransaction<unknown>));
        cut.push(threadId);
      },
      requireNoOpenRun,
      clock: time.now,
      log: { warn: (details: object) => void warnings.push(details) },
    });
  });
  afterEach(() => database.close());

  const make = (threadId: string, ttl: ThreadTtl) => store.create(owner, { threadId, ttl, at: now() });
  const exists = async (threadId: string) => (await store.find(threadId)) !== undefined;

  async function after(ms: number): Promise<void> {
    time.advance(ms);
    await expiry.sweep();
  }

  it('goes when nothing has happened in it for its time to live', async () => {
    await make('short', { seconds: 3_600, strategy: 'delete' });
    await make('long', { seconds: 7_200, strategy: 'delete' });
    await store.create(owner, { threadId: 'without', at: now() });
    await after(hourMs - 1);
    expect(await exists('short')).toBe(true);
    await after(1);
    expect([await exists('short'), await exists('long'), await exists('without')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await store.isDeleted('short')).toBe(true);
  });

  it('stays for as long as something changes in it, and a new time to live takes the place of the old one', async () => {
    await make('t', { seconds: 3_600, strategy: 'delete' });
    time.advance(40 * minuteMs);
    await store.mergeMetadata(owner, 't', { metadata: { a: 1 }, at: now() });
    await after(40 * minuteMs);
    expect(await exists('t')).toBe(true);
    await store.mergeMetadata(owner, 't', {
      metadata: {},
      ttl: { seconds: 60, strategy: 'delete' },
      at: now(),
    });
    await after(minuteMs);
    expect(await exists('t')).toBe(false);
  });

  it('is left in peace while a run works in it', async () => {
    await make('t', { seconds: 60, strategy: 'delete' });
    const stamp = { graph_id: 'g', assistant_id: 'a' };
    await database.write((trx, lastly) => setBusy(trx, 't', { lastly, stamp, assistant: 'a', at: now() }));
    await after(hourMs);
    expect(await exists('t')).toBe(true);
  });

  it.each([
    [
      'a run has begun in it',
      async () => {
        const begun = { ...emptyRun, run_id: 'r', ended_at: null };
        await database.write((trx) => trx.insertInto('runs').values(begun).execute());
      },
    ],
    ['something has changed in it', () => store.mergeMetadata(owner, 't', { metadata: { a: 1 }, at: now() })],
    [
      'it was given more time',
      () => {
        const ttl = { seconds: 3_600, strategy: 'delete' as const };
        return store.mergeMetadata(owner, 't', { metadata: {}, ttl, at: now() });
      },
    ],
  ])('is left as it is when %s since it was found', async (_what, happens) => {
    for (const strategy of ['delete', 'keep_latest'] as const) {
      await make('t', { seconds: 60, strategy });
      await store.mergeMetadata(owner, 't', { metadata: {}, ttl: { seconds: 60, strategy }, at: now() });
      meanwhile = happens;
      await after(minuteMs);
      expect([await exists('t'), cut, warnings]).toEqual([true, [], []]);
      await database.write((trx) => trx.deleteFrom('runs').execute());
    }
  });

  it('loses all but its latest state, again and again, when it is to be kept', async () => {
    await make('t', { seconds: 60, strategy: 'keep_latest' });
    for (let round = 0; round < 2; round += 1) await after(minuteMs);
    expect(cut).toEqual(['t', 't']);
    expect(await exists('t')).toBe(true);
  });

  it('does not keep others from going when one cannot go, and goes later', async () => {
    await make('a', { seconds: 60, strategy: 'delete' });
    await make('b', { seconds: 60, strategy: 'delete' });
    failures = 1;
    await after(minuteMs);
    expect(warnings).toHaveLength(1);
    expect([await exists('a'), await exists('b')].filter(Boolean)).toHaveLength(1);
    await after(minuteMs);
    expect([await exists('a'), await exists('b')]).toEqual([false, false]);
  });
}
