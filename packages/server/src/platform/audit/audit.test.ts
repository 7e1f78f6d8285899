import { testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../database/open.ts';
import { type Actor, Audit, systemActor } from './audit.ts';
import { AuditStore } from './audit-store.ts';
import { auditMigrations } from './migrations.ts';
import type { AuditTables } from './tables.ts';

const postgres = testPostgres('the audit record on Postgres');
const ann: Actor = { id: 'ann', name: 'ann@example.com', via: 'bearer', requestId: 'r1' };

describe('the audit record on SQLite', () => auditBehaves(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  auditBehaves(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

function auditBehaves(where: () => Promise<DatabaseOptions>): void {
  let database: Database<AuditTables>;
  let audit: Audit;
  let time: ManualTime;

  beforeEach(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'audit', auditMigrations);
    database = opened.withTables<AuditTables>();
    time = new ManualTime();
    audit = new Audit(new AuditStore(database), time.now);
  });
  afterEach(() => database.close());

  const actions = async (page: Partial<Parameters<Audit['page']>[0]> = {}) =>
    (await audit.page({ limit: 10, ...page })).map(({ action }) => action);

  it('holds a record when the unit of the change is committed, and none when it fails', async () => {
    await database.write((trx) => audit.record(trx, ann, { action: 'user.created', target: ['user', 'u1'] }));
    const failing = database.write(async (trx) => {
      await audit.record(trx, ann, { action: 'user.deleted', target: ['user', 'u1'] });
      throw new Error('the change failed');
    });
    await expect(failing).rejects.toThrow('the change failed');
    expect(await audit.page({ limit: 10 })).toMatchObject([
      { actor: 'ann', actorName: 'ann@example.com', via: 'bearer', action: 'user.created' },
    ]);
  });

  it('is read newest first, by actor, action, target and time, a page at a time', async () => {
    const from = time.now();
    for (const [action, actor] of [
      ['a', ann],
      ['b', systemActor('reset-admin')],
      ['c', ann],
    ] as const) {
      await audit.add(actor, { action, target: ['thing', action] });
      time.advance(1_000);
    }
    expect(await actions()).toEqual(['c', 'b', 'a']);
    expect(await actions({ actor: 'ann' })).toEqual(['c', 'a']);
    expect(await actions({ action: 'b' })).toEqual(['b']);
    expect(await actions({ target: 'thing:a' })).toEqual(['a']);
    expect(await actions({ fromMs: from + 1_000, toMs: from + 2_000 })).toEqual(['b']);
    const [newest] = await audit.page({ limit: 1 });
    expect(await actions({ before: newest?.id })).toEqual(['b', 'a']);
  });

  it('cuts long texts and lists, and leaves out facts that are not known', async () => {
    const many = Array.from({ length: 80 }, (_, index) => `s${index}`);
    await audit.add(ann, {
      action: 'x',
      target: null,
      details: { text: 'y'.repeat(5_000), many, none: undefined },
    });
    const [row] = await audit.page({ limit: 1 });
    const details = JSON.parse(row?.details ?? '') as { text: string; many: string[] };
    expect([details.text.length, details.many.length, 'none' in details]).toEqual([1_000, 50, false]);
  });

  it('forgets records when their time is over, and no others', async () => {
    await audit.add(ann, { action: 'old', target: null });
    time.advance(10_000);
    await audit.add(ann, { action: 'young', target: null });
    await audit.forgetOlderThan(5_000);
    expect(await actions()).toEqual(['young']);
  });
}
