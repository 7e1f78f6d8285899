import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyRun } from '../../../testing/journal-fixture.ts';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import { ThreadAccess } from '../threads/thread-access.ts';
import { ThreadStore } from '../threads/thread-store.ts';
import { FeedbackStore, forgetFeedback } from './feedback-store.ts';
import { RunFeedback } from './run-feedback.ts';

const postgres = testPostgres('feedback on Postgres');

describe('feedback in memory', () => feedbackBehaves(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  feedbackBehaves(async () => patientPostgres(await postgres.createDatabase(), 10)),
);

const anna = { user: 'anna' };
const bert = { user: 'bert' };
const at = '2030-01-01T00:00:00.000Z';
const run = { threadId: 'thread', runId: 'run' };

function feedbackBehaves(where: () => Promise<DatabaseOptions>): void {
  let database: Database<ConversationTables>;
  let store: FeedbackStore;
  let feedback: RunFeedback;
  let made = 0;
  const time = new ManualTime();

  beforeAll(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ConversationTables>();
    store = new FeedbackStore(database);
    feedback = withBackend(true);
    const threads = new ThreadStore(database);
    for (const threadId of ['thread', 'other', 'shared']) await threads.create(anna, { threadId, at });
    await database.write(async (trx) => {
      await trx.updateTable('threads').set({ user_id: null }).where('thread_id', '=', 'shared').execute();
      const runs = [
        newRun('run', 'thread', 'anna'),
        newRun('of-anna', 'shared', 'anna'),
        newRun('of-bert', 'shared', 'bert'),
      ];
      await trx.insertInto('runs').values(runs).execute();
    });
  });
  beforeEach(() => database.write((trx) => trx.deleteFrom('feedback').execute()));
  afterAll(() => database.close());

  function withBackend(isAvailable: boolean): RunFeedback {
    const access = new ThreadAccess(new ThreadStore(database));
    made += 1;
    return new RunFeedback({
      store,
      access,
      isAvailable,
      clock: time.now,
      newId: () => `feedback-${++made}`,
    });
  }

  test('new feedback replaces the earlier feedback and keeps its id', async () => {
    const first = await feedback.set(anna, run, { rating: 1, comment: 'good', message_id: 'm1' });
    const second = await feedback.set(anna, run, { rating: -1 });
    expect(second).toEqual({ ...first, rating: -1, comment: null, message_id: null });
    expect(await feedback.list(anna, run)).toEqual([second]);
  });

  test('when feedback is sent many times at once, one remains', async () => {
    const saying = Array.from({ length: 8 }, () => feedback.set(anna, run, { rating: 1 }));
    expect(new Set((await Promise.all(saying)).map(({ feedback_id }) => feedback_id)).size).toBe(1);
    expect(await feedback.list(anna, run)).toHaveLength(1);
  });

  test('the statistics count and add up', async () => {
    const none = { run_id: 'run', total: 0, positive: 0, negative: 0, rating_sum: 0 };
    expect(await feedback.stats(anna, run)).toEqual(none);
    await feedback.set(anna, run, { rating: -1 });
    expect(await feedback.stats(anna, run)).toEqual({ ...none, total: 1, negative: 1, rating_sum: -1 });
  });

  test.each([0, 2, -2, 5])('a rating of %i is malformed', async (rating) => {
    await expect(feedback.set(anna, run, { rating })).rejects.toMatchObject({
      status: 400,
      message: 'rating must be +1 or -1',
    });
  });

  test.each([
    ['an unknown run', { threadId: 'thread', runId: 'nowhere' }],
    ['a run of another thread', { threadId: 'other', runId: 'run' }],
    ['another user in a shared thread', { threadId: 'shared', runId: 'of-bert' }],
  ])('%s is not found by any call', async (_name, unknown) => {
    const calls = [
      () => feedback.set(anna, unknown, { rating: 1 }),
      () => feedback.list(anna, unknown),
      () => feedback.stats(anna, unknown),
      () => feedback.delete(anna, unknown, null),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'run_not_found' });
  });

  test('every call answers "not found" for a thread of another user', async () => {
    const calls = [
      () => feedback.set(bert, run, { rating: 1 }),
      () => feedback.list(bert, run),
      () => feedback.stats(bert, run),
      () => feedback.delete(bert, run, null),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'thread_not_found' });
    await expect(feedback.listOfRun(bert, 'run')).rejects.toMatchObject({ code: 'run_not_found' });
  });

  test('in a shared thread each user sees only their own feedback', async () => {
    const ofBert = { threadId: 'shared', runId: 'of-bert' };
    await feedback.set(bert, ofBert, { rating: 1 });
    expect(await feedback.listOfRun(bert, 'of-bert')).toHaveLength(1);
    expect(await store.ofRun(anna, 'of-bert')).toEqual([]);
    expect((await store.ofRuns(bert, 'shared', ['of-bert', 'of-anna'])).size).toBe(1);
    expect((await store.ofRuns(anna, 'shared', ['of-bert', 'of-anna'])).size).toBe(0);
  });

  test('it is deleted by its run or by its id, once', async () => {
    await feedback.set(anna, run, { rating: 1 });
    await feedback.delete(anna, run, null);
    await expect(feedback.delete(anna, run, null)).rejects.toMatchObject({ code: 'feedback_not_found' });
    const { feedback_id } = await feedback.set(anna, run, { rating: 1 });
    await expect(feedback.delete(anna, run, 'nowhere')).rejects.toMatchObject({
      message: 'Feedback nowhere not found',
    });
    await feedback.delete(anna, run, feedback_id);
    expect(await feedback.list(anna, run)).toEqual([]);
  });

  test('it is deleted with its thread', async () => {
    await feedback.set(anna, run, { rating: 1 });
    await database.write((trx) => forgetFeedback(trx, 'thread'));
    expect(await feedback.list(anna, run)).toEqual([]);
  });

  test('without a database every call says that feedback is not available', async () => {
    const without = withBackend(false);
    const calls = [
      () => without.set(anna, run, { rating: 7 }),
      () => without.list(anna, run),
      () => without.listOfRun(anna, 'run'),
      () => without.stats(anna, run),
      () => without.delete(anna, run, null),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ status: 503, message: 'Feedback not available' });
  });
}

function newRun(runId: string, threadId: string, userId: string): RunRow {
  return {
    ...emptyRun,
    run_id: runId,
    thread_id: threadId,
    user_id: userId,
    admission: userId === 'anna' ? 1 : 2,
  };
}
