import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { noteStatements } from '../../../testing/noted-statements.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables, RunEventRow } from '../tables.ts';
import { RunEventStore } from './run-event-store.ts';

const ada = { user: 'ada' };

/** Four events in each of 50 runs. */
const rows = Array.from(
  { length: 200 },
  (_, index): RunEventRow => ({
    thread_id: 't',
    seq: index + 1,
    run_id: `r${Math.floor(index / 4)}`,
    user_id: 'ada',
    event_type: index % 4 === 3 ? 'ai_message' : 'llm_request',
    category: index % 4 === 3 ? 'message' : 'trace',
    content: '',
    metadata: '{}',
    origin: null,
    created_at: '2030-01-01T00:00:00.000Z',
  }),
);

/** Reads events in all the ways that readers do, by the ids that they name beside the thread. */
async function read(database: Database<ConversationTables>): Promise<unknown> {
  const store = new RunEventStore(database);
  const thread = { threadId: 't', limit: 5 };
  return [
    await store.list(ada, thread),
    await store.list(ada, { ...thread, category: 'message' }),
    await store.list(ada, { ...thread, category: 'message', beforeSeq: 100 }),
    await store.list(ada, { ...thread, runId: 'r7' }),
    await store.list(ada, { ...thread, runId: 'r7', category: 'message', afterSeq: 1 }),
    await store.lastAnswers(ada, 't', ['r7', 'r9']),
  ];
}

it('events are found along the key of their table on SQLite, which has no other index of them', async () => {
  const opened = await openDatabase({ backend: 'memory' });
  const before = conversationMigrations.findIndex(({ name }) => name === '028-no-indexes-of-events');
  await migrate(opened, 'conversation', conversationMigrations.slice(0, before));
  const database = opened.withTables<ConversationTables>();
  await database.write((trx) => trx.insertInto('run_events').values(rows).execute());

  const noted = noteStatements(database);
  const found = await read(noted.database);
  const plans = await noted.plans('explain query plan');
  for (const plan of plans) expect(plan).toContain('SEARCH run_events USING PRIMARY KEY (thread_id=?');
  expect(plans).toHaveLength(6);

  await migrate(opened, 'conversation', conversationMigrations);
  expect(await read(database)).toEqual(found);
  const indexes = await sql`select name from sqlite_schema where type = 'index' and tbl_name = 'run_events'`
    .execute(database.read)
    .then(({ rows: left }) => left);
  expect(indexes).toEqual([]);
  await opened.close();
});
