import type { Sentence } from '@switchyard/contract/sentences/sentence';
import { say, sentencesOf, textOf, withDetail } from '@switchyard/contract/sentences/sentences';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import type { Job, JobHandler } from '../../platform/jobs/jobs.ts';
import { dispatchMigrations } from '../migrations.ts';
import { sentencesColumn, storedSentences } from '../stored-sentences.ts';
import type { DispatchTables } from '../tables.ts';
import { taskErrorOf, warningsOf } from '../tasks/task-messages.ts';
import { EarlierRowStore } from './earlier-row-store.ts';
import { wordEarlierRows } from './earlier-rows.ts';

const postgres = testPostgres('rows of earlier versions on Postgres');

describe('rows of earlier versions on SQLite', () => rowsGetCodes(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  rowsGetCodes(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

const refused = withDetail(say('call_refused', { address: '10.0.0.1:8188' }), 'ECONNREFUSED');
const lost = say('task_not_taken', { cause: refused });
const foreign = 'KSampler: something that no version of the gateway says';

function rowsGetCodes(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let database: Database<DispatchTables>;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    database = opened.withTables<DispatchTables>();
  });
  afterAll(() => opened.close());
  beforeEach(() =>
    database.write(async (trx) => {
      for (const table of [
        'task_attempts',
        'tasks',
        'instances',
        'instance_events',
        'webhook_deliveries',
      ] as const)
        await trx.deleteFrom(table).execute();
    }),
  );

  /** As a version without codes has written it. */
  async function plantTask(id: string, row: { error: string | null; warnings: string[] }): Promise<void> {
    const error =
      row.error === null
        ? null
        : JSON.stringify({ code: 'rejected_by_worker', message: row.error, node: '3' });
    await database.write(async (trx) => {
      await sql`insert into tasks (id, owner, status, phase, progress, priority, tags, attempt, "cancelRequested",
          fingerprint, "retryPolicy", "maxAttempts", error, warnings, "createdAt", "updatedAt")
        values (${id}, 'ada', 'failed', 'ended', 0, 0, '[]', 1, 0, 'f', 'on_lost', 3, ${error},
          ${JSON.stringify(row.warnings)}, '2030', '2030')`.execute(trx);
      await sql`insert into task_attempts ("taskId", attempt, "instanceId", "promptId", "clientId", state, outcome, error, "startedAt")
        values (${id}, 1, 'box', 'p', 'c', 'ended', 'not_taken', ${error}, '2030')`.execute(trx);
    });
  }

  async function plantEvent(id: string, message: string, sentences: string | null = null): Promise<void> {
    await database.write((trx) =>
      trx
        .insertInto('instance_events')
        .values({
          id,
          instanceId: 'box',
          kind: 'lost',
          at: '2030',
          message,
          sentences,
          taskId: null,
          attempt: null,
          owner: null,
        })
        .execute(),
    );
  }

  async function run(signal = new AbortController().signal): Promise<void> {
    const handlers: JobHandler[] = [];
    const jobs = {
      register: (_kind: string, handler: JobHandler) => void handlers.push(handler),
    };
    wordEarlierRows(new EarlierRowStore(database), { jobs, stepRows: 2 });
    for (const handler of handlers) await handler({ signal } as Job);
  }

  const taskRow = (id: string) =>
    database.read.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const events = () => database.read.selectFrom('instance_events').selectAll().orderBy('id').execute();
  const codesOf = (sentences: readonly Sentence[]) => sentences.map(({ code }) => code);

  it('gives tasks and their attempts the codes of what was stored as text, and leaves the text', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      await plantTask(id, { error: textOf(lost), warnings: [textOf(say('pool_missing', { pool: 'big' }))] });
    const before = await taskRow('e');
    await run();
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      const row = await taskRow(id);
      expect(JSON.parse(row.error ?? '')).toEqual({ ...JSON.parse(before.error ?? ''), sentences: lost });
      expect(warningsOf(row)).toEqual({
        warnings: JSON.parse(before.warnings),
        warningSentences: [say('pool_missing', { pool: 'big' })],
      });
      expect(row).toMatchObject({ warnings: before.warnings, updatedAt: '2030' });
    }
    const attempts = await database.read.selectFrom('task_attempts').selectAll().execute();
    expect(attempts.map((row) => taskErrorOf(row)?.sentences)).toEqual(Array(5).fill(lost));
  });

  it('leaves a text as it is that is not one of its sentences', async () => {
    await plantTask('a', { error: foreign, warnings: [foreign, textOf(refused)] });
    await run();
    const row = await taskRow('a');
    expect(taskErrorOf(row)).toMatchObject({ message: foreign, sentences: sentencesOf(foreign) });
    expect(warningsOf(row).warningSentences).toEqual([sentencesOf(foreign), refused]);
  });

  it('gives events, deliveries and instances their codes, and leaves those alone that have none to get', async () => {
    await plantEvent('1', textOf(lost));
    await plantEvent('2', foreign);
    await plantEvent('3', textOf(refused));
    await database.write(async (trx) => {
      await sql`insert into webhook_deliveries (id, owner, "taskId", url, event, payload, status, attempts, "lastError", "createdAt")
        values ('1', 'ada', 'a', 'http://x', 'task.failed', '{}', 'failed', 1, ${textOf(say('answered', { status: 500 }))}, '2030'),
          ('2', 'ada', 'a', 'http://x', 'task.failed', '{}', 'delivered', 1, null, '2030')`.execute(trx);
    });
    await run();
    expect(
      (await events()).map(({ message, sentences }) => codesOf(storedSentences(message, sentences))),
    ).toEqual([['task_not_taken', 'call_refused'], ['quote'], ['call_refused']]);
    const deliveries = await database.read
      .selectFrom('webhook_deliveries')
      .selectAll()
      .orderBy('id')
      .execute();
    expect(deliveries.map(({ lastErrorSentences }) => lastErrorSentences)).toEqual([
      sentencesColumn(say('answered', { status: 500 })),
      null,
    ]);
  });

  it('gives a text its codes that a replica of an earlier version has changed, and no other', async () => {
    await plantEvent('1', textOf(lost), sentencesColumn(say('no_answer')));
    await plantEvent('2', textOf(refused), sentencesColumn(refused));
    expect(
      (await events()).map(({ message, sentences }) => codesOf(storedSentences(message, sentences))),
    ).toEqual([['quote'], ['call_refused']]);
    await run();
    expect((await events()).map(({ message, sentences }) => storedSentences(message, sentences))).toEqual([
      lost,
      refused,
    ]);
  });

  it('knows a sentence that had other words, and leaves the words', async () => {
    const earlier = `No instance that could run the task takes its input: ${textOf(refused)}`;
    await plantEvent('1', earlier);
    await run();
    const [row] = await events();
    expect(row?.message).toBe(earlier);
    const codes = codesOf(storedSentences(earlier, row?.sentences ?? null));
    expect(codes).toEqual(['size_nowhere', 'call_refused']);
  });

  it('does the same when it runs again, and goes on where it was stopped', async () => {
    await plantTask('a', { error: textOf(lost), warnings: [] });
    const stopped = new AbortController();
    stopped.abort(new Error('stopped'));
    await expect(run(stopped.signal)).rejects.toThrow('stopped');
    await run();
    const once = await taskRow('a');
    await run();
    expect(await taskRow('a')).toEqual(once);
    expect(taskErrorOf(once)?.sentences).toEqual(lost);
  });
}
