import type { NewRunEvent } from '../src/agents/run-contract/run-record.ts';
import { Journal } from '../src/conversation/journal/journal.ts';
import { RunEventStore } from '../src/conversation/journal/run-event-store.ts';
import type { RunRecorder } from '../src/conversation/journal/run-recorder.ts';
import { conversationMigrations } from '../src/conversation/migrations.ts';
import { unstartedRun } from '../src/conversation/runs/records/unstarted-run.ts';
import type { ConversationTables, RunRow } from '../src/conversation/tables.ts';
import type { Database } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../src/platform/database/open.ts';

/** A journal over a database in memory, for tests. */
export interface JournalFixture {
  database: Database<ConversationTables>;
  storage: RunEventStore;
  journal: Journal;
  recorder(runId: string, options?: { userId?: string; attempt?: number }): Promise<RunRecorder>;
  /** Records events in a run of the thread `t`. */
  write(runId: string, events: NewRunEvent[], options?: { userId?: string }): Promise<void>;
  /** The row of a run. */
  insertRun(runId: string, columns?: Partial<RunRow>): Promise<void>;
  close(): Promise<void>;
}

export async function openConversationDatabase(
  options: DatabaseOptions,
): Promise<Database<ConversationTables>> {
  const database = await openDatabase(options);
  await migrate(database, 'conversation', conversationMigrations);
  return database.withTables<ConversationTables>();
}

export async function openJournalFixture({ trackTokens = true } = {}): Promise<JournalFixture> {
  const database = await openConversationDatabase({ backend: 'memory' });
  const storage = new RunEventStore(database);
  const journal = new Journal({
    storage,
    maxTraceBytes: 10_240,
    trackTokens,
    now: () => Date.UTC(2030, 0, 1),
    onFlushFailed: () => undefined,
  });
  let admission = 0;
  const recorder: JournalFixture['recorder'] = (runId, { userId = 'alice', attempt = 1 } = {}) =>
    journal.recorderFor({ threadId: 't', runId, userId, attempt, followUpTo: null });

  return {
    database,
    storage,
    journal,
    recorder,
    write: async (runId, events, options) => {
      const run = await recorder(runId, options);
      for (const event of events) run.record(event);
      await run.flush();
    },
    insertRun: async (runId, columns = {}) => {
      admission += 1;
      const row = { ...emptyRun, run_id: runId, admission, ...columns };
      await database.write((trx) => trx.insertInto('runs').values(row).execute());
    },
    close: () => database.close(),
  };
}

/** A run that has ended successfully, for tests to change. */
export const emptyRun: RunRow = {
  ...unstartedRun,
  run_id: '',
  thread_id: 't',
  user_id: 'alice',
  assistant_id: 'g',
  graph_id: 'g',
  status: 'success',
  multitask_strategy: 'enqueue',
  metadata: '{}',
  attempt: 1,
  created_at: '2030-01-01T00:00:00.000Z',
  updated_at: '2030-01-01T00:00:00.000Z',
  started_at: '2030-01-01T00:00:00.000Z',
  ended_at: '2030-01-01T00:00:02.500Z',
};
