import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import type { Updateable } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyRun } from '../../../testing/journal-fixture.ts';
import { ManualTime } from '../../../testing/manual-time.ts';
import { toIso } from '../../lib/clock.ts';
import { dayMs, hourMs } from '../../lib/time-units.ts';
import type { Actor, AuditEntry } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import { requireNoOpenRun } from '../runs/records/run-store.ts';
import type { ConversationTables, ThreadTable } from '../tables.ts';
import { type ForgetThread, ThreadStore } from '../threads/thread-store.ts';
import { ThreadRetention } from './thread-retention.ts';
import { ThreadRetentionStore } from './thread-retention-store.ts';

const postgres = testPostgres('threads that are kept for a time on Postgres');
const admin: Actor = { id: 'admin', name: 'admin@example.com', via: 'cookie', requestId: null };

describe('threads that are kept for a time, in memory', () => retained(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  retained(async () => patientPostgres(await postgres.createDatabase(), 5)),
);

function retained(where: () => Promise<DatabaseOptions>): void {
  let database: Database<ConversationTables>;
  let store: ThreadStore;
  let time: ManualTime;
  let failing: string[];
  /** Called after a step has read which threads are old. */
  let meanwhile: () => Promise<unknown>;
  const records: [string, AuditEntry][] = [];
  const warnings: object[] = [];
  const now = () => toIso(time.now());

  beforeEach(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ConversationTables>();
    store = new ThreadStore(database);
    time = new ManualTime();
    failing = [];
    meanwhile = async () => undefined;
    records.length = 0;
    warnings.length = 0;
  });
  afterEach(() => database.close());

  function keeping(keptMs: number | null): ThreadRetention {
    const found = new ThreadRetentionStore(database);
    return new ThreadRetention({
      store: {
        ownerAfter: (userId) => found.ownerAfter(userId),
        count: (...given) => found.count(...given),
        list: async (...given) => {
          const listed = await found.list(...given);
          await meanwhile();
          return listed;
        },
      },
      remove: async (thread, confirm) => {
        if (failing.includes(thread.thread_id)) throw new Error('the disk is full');
        await store.delete({ ...thread }, { alongside: [confirm as ForgetThread], at: now() });
      },
      requireNoOpenRun,
      audit: { add: async (actor, entry) => void records.push([actor.name, entry]) },
      keptMs,
      clock: time.now,
      log: { warn: (details: object) => void warnings.push(details) },
    });
  }

  const make = (user: string, threadId: string) => store.create({ user }, { threadId, at: now() });
  const change = (threadId: string, to: Updateable<ThreadTable>) =>
    database.write((trx) => trx.updateTable('threads').set(to).where('thread_id', '=', threadId).execute());
  const left = async () => {
    const rows = await database.read.selectFrom('threads').select('thread_id').orderBy('thread_id').execute();
    return rows.map(({ thread_id }) => thread_id);
  };
  const schedule = (threadId: string, status: ConversationTables['schedules']['status']) =>
    database.write((trx) =>
      trx
        .insertInto('schedules')
        .values({
          schedule_id: threadId,
          user_id: 'ada',
          thread_id: threadId,
          assistant_id: 'a',
          title: 't',
          prompt: 'p',
          request: '{}',
          auth_user: null,
          metadata: '{}',
          cron: '0 0 * * *',
          run_at: null,
          timezone: 'UTC',
          end_time: null,
          on_run_completed: 'keep',
          status,
          next_run_at: null,
          last_run_at: null,
          last_run_id: null,
          last_thread_id: null,
          last_error: null,
          run_count: 0,
          created_at: now(),
          updated_at: now(),
        })
        .execute(),
    );

  it('go when nothing has changed in them for that time, and stay without a setting', async () => {
    await make('ada', 'old');
    time.advance(hourMs);
    await make('bob', 'younger');
    time.advance(dayMs - hourMs);
    await keeping(null).sweep();
    expect(await left()).toEqual(['old', 'younger']);
    await keeping(dayMs).sweep();
    expect(await left()).toEqual(['younger']);
    expect(await store.isDeleted('old')).toBe(true);
    const before = toIso(time.now() - dayMs);
    expect(records).toEqual([
      ['thread retention', { action: 'threads.expired', target: null, details: { threads: 1, before } }],
    ]);
    await keeping(dayMs).sweep();
    expect(records).toHaveLength(1);
  });

  it('stay while they are pinned, at work, wait for an answer, or belong to a schedule that goes on', async () => {
    for (const id of ['busy', 'failed', 'interrupted', 'pinned', 'paused', 'enabled', 'ended', 'plain'])
      await make('ada', id);
    await change('pinned', { pinned: '1' });
    await change('busy', { status: 'busy' });
    await change('interrupted', { status: 'interrupted' });
    await change('failed', { status: 'error' });
    await schedule('paused', 'paused');
    await schedule('enabled', 'enabled');
    await schedule('ended', 'completed');
    time.advance(dayMs);
    const retention = keeping(dayMs);
    expect(await retention.preview({})).toMatchObject({ threads: 3 });
    await retention.sweep();
    expect(await left()).toEqual(['busy', 'enabled', 'interrupted', 'paused', 'pinned']);
  });

  it.each([
    ['a run has begun in it', () => insertOpenRun()],
    ['it was pinned', () => change('t', { pinned: '1' })],
    ['something has changed in it', () => change('t', { updated_at: now() })],
  ])('stay when %s since they were found', async (_what, happens) => {
    await make('ada', 't');
    time.advance(dayMs);
    meanwhile = happens;
    expect(await keeping(dayMs).step({}, admin)).toMatchObject({ deleted: 0, kept: 1, more: false });
    expect([await left(), warnings, records]).toEqual([['t'], [], []]);
  });

  const insertOpenRun = () =>
    database.write((trx) =>
      trx
        .insertInto('runs')
        .values({ ...emptyRun, run_id: 'r', ended_at: null })
        .execute(),
    );

  it('are counted for each user and can go for one user and by another age, in steps', async () => {
    const firstAt = now();
    for (let count = 0; count < 201; count += 1) await make('ada', `a-${String(count).padStart(3, '0')}`);
    await make('bob', 'b');
    time.advance(2 * hourMs);
    const retention = keeping(dayMs);
    expect(await retention.preview({})).toMatchObject({ threads: 0, users: [] });
    const chosen = { ageMs: hourMs };
    expect(await retention.preview(chosen)).toEqual({
      before: toIso(time.now() - hourMs),
      threads: 202,
      users: [
        { userId: 'ada', count: 201, oldest: firstAt },
        { userId: 'bob', count: 1, oldest: firstAt },
      ],
      leftOut: 0,
    });
    expect(await retention.step({ ...chosen, userId: 'ada' }, admin)).toMatchObject({
      deleted: 200,
      more: true,
    });
    expect(await retention.step({ ...chosen, userId: 'ada' }, admin)).toMatchObject({
      deleted: 1,
      more: false,
    });
    expect(await left()).toEqual(['b']);
    expect(records.map(([name, { target, details }]) => [name, target, details?.threads])).toEqual([
      [admin.name, ['user', 'ada'], 200],
      [admin.name, ['user', 'ada'], 1],
    ]);
    await expect(keeping(null).preview({})).rejects.toThrow(/older_than_seconds is needed/);
  });

  it('that cannot be deleted are said, and others go', async () => {
    await make('ada', 'a');
    await make('ada', 'b');
    failing = ['a'];
    time.advance(dayMs);
    expect(await keeping(dayMs).step({}, admin)).toMatchObject({ deleted: 1, kept: 1 });
    expect(warnings).toMatchObject([{ threadId: 'a' }]);
    expect(await left()).toEqual(['a']);
  });
}
