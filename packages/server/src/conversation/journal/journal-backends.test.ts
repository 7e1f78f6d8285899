import { join } from 'node:path';
import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe } from 'vitest';
import { type JournalVariant, journalConformance } from '../../../testing/journal-conformance.ts';
import { openConversationDatabase } from '../../../testing/journal-fixture.ts';
import type { Database } from '../../platform/database/database.ts';
import { openDatabase } from '../../platform/database/open.ts';
import type { ConversationTables } from '../tables.ts';
import { openEventStorage } from './create-journal.ts';
import { RunEventStore } from './run-event-store.ts';

journalConformance('db in memory', async (): Promise<JournalVariant> => {
  const database = await openConversationDatabase({ backend: 'memory' });
  return { database, storages: [new RunEventStore(database)], close: () => database.close() };
});

journalConformance('memory', async (): Promise<JournalVariant> => {
  const database = await openConversationDatabase({ backend: 'memory' });
  const storage = openEventStorage({ backend: 'memory', database, home: '/nowhere' });
  return { database, storages: [storage], close: () => database.close() };
});

journalConformance('jsonl', async (): Promise<JournalVariant> => {
  const folder = temporaryFolder();
  const database = await openConversationDatabase({ backend: 'memory' });
  const storage = openEventStorage({ backend: 'jsonl', database, home: folder.path });
  const close = async (): Promise<void> => {
    await database.close();
    folder.remove();
  };
  return { database, storages: [storage], close };
});

describe('on SQLite', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let database: Database<ConversationTables>;

  beforeAll(async () => {
    folder = temporaryFolder();
    database = await openConversationDatabase({
      backend: 'sqlite',
      file: join(folder.path, 'switchyard.db'),
    });
  });
  afterAll(async () => {
    await database.close();
    folder.remove();
  });

  journalConformance('db in a file', async (): Promise<JournalVariant> => {
    await clear(database);
    return {
      database,
      storages: [new RunEventStore(database)],
      close: async () => undefined,
    };
  });
});

const postgres = testPostgres('on Postgres');
describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  let processes: Database<ConversationTables>[] = [];

  beforeAll(async () => {
    const where = patientPostgres(await postgres.createDatabase(), 5);
    const first = await openConversationDatabase(where);
    const second = await openDatabase(where);
    processes = [first, second.withTables<ConversationTables>()];
  });
  afterAll(async () => {
    for (const database of processes) await database.close();
  });

  journalConformance('db from two processes', async (): Promise<JournalVariant> => {
    const [database] = processes as [Database<ConversationTables>];
    await clear(database);
    return {
      database,
      storages: processes.map((each) => new RunEventStore(each)),
      close: async () => undefined,
    };
  });
});

const writtenTables = ['run_events', 'thread_sequences', 'deleted_threads', 'run_inputs'] as const;

async function clear(database: Database<ConversationTables>): Promise<void> {
  await database.write(async (trx) => {
    for (const table of writtenTables) await trx.deleteFrom(table).execute();
  });
}
