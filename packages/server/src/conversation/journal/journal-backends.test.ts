import { testPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { describe } from 'vitest';
import { openDatabase } from '../../platform/database/open.ts';
import type { ConversationTables } from '../tables.ts';
import { type JournalVariant, journalConformance } from './journal-conformance.ts';
import { openConversationDatabase } from './journal-fixture.ts';
import { openEventStorage } from './open-event-storage.ts';
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

const postgres = testPostgres('on Postgres');
describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  journalConformance('db from two processes', async (): Promise<JournalVariant> => {
    const url = await postgres.createDatabase();
    const one = await openConversationDatabase({ backend: 'postgres', url, poolSize: 5 });
    const other = await openDatabase({ backend: 'postgres', url, poolSize: 5 });
    const storages = [one, other.withTables<ConversationTables>()].map((each) => new RunEventStore(each));
    const close = async (): Promise<void> => {
      await other.close();
      await one.close();
    };
    return { database: one, storages, close };
  });
});
