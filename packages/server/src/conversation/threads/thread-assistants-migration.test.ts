import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { describe, expect, it } from 'vitest';
import { emptyRun } from '../../../testing/journal-fixture.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables } from '../tables.ts';

const postgres = testPostgres('a Postgres database with threads of before');
const at = '2026-03-10T10:00:00.000Z';
/** The assistants of the runs of each thread, the oldest first, with what their requests said. */
const threads: Record<string, [assistant: string, kwargs: object][]> = {
  'own graph': [
    ['lead_agent', {}],
    ['notes', { config: {} }],
  ],
  'custom agent': [['lead_agent', { agent_name: 'painter' }]],
  'set-up': [['lead_agent', { agent_name: 'painter', context: { is_bootstrap: true } }]],
  'assistant of a user': [['some-id', { agent_name: 'painter' }]],
  'built-in agent': [['lead_agent', { agent_name: null }]],
  'no run': [],
};

describe.each([
  {
    title: 'an SQLite database with threads of before',
    isSkipped: false,
    where: async () => ({ backend: 'memory' }),
  },
  {
    ...postgres,
    where: async () => patientPostgres(await postgres.createDatabase(), 2),
  },
])('$title', ({ isSkipped, where }) => {
  it.skipIf(isSkipped)('gives each thread the assistant of its last run', async () => {
    const opened = await openDatabase((await where()) as DatabaseOptions);
    const database = opened.withTables<ConversationTables>();
    const before = conversationMigrations.findIndex(({ name }) => name === '029-assistants-of-threads');
    await migrate(opened, 'conversation', conversationMigrations.slice(0, before));
    await database.write(async (trx) => {
      for (const [thread_id, runs] of Object.entries(threads)) {
        const thread = {
          thread_id,
          user_id: 'anna',
          assistant_id: 'as made',
          display_name: null,
          metadata: '{}',
        };
        const times = { created_at: at, updated_at: at, state_updated_at: at, run_ended_at: null };
        await trx
          .insertInto('threads')
          .values({ ...thread, ...times, status: 'idle', unread: 0 })
          .execute();
        for (const [index, [assistant_id, kwargs]] of runs.entries()) {
          const run_id = `${thread_id} ${index}`;
          await trx
            .insertInto('runs')
            .values({ ...emptyRun, run_id, thread_id, assistant_id, admission: index + 1 })
            .execute();
          await trx
            .insertInto('run_inputs')
            .values({ run_id, kwargs: JSON.stringify(kwargs) })
            .execute();
        }
      }
    });
    await migrate(opened, 'conversation', conversationMigrations);
    const rows = await database.read.selectFrom('threads').select(['thread_id', 'assistant_id']).execute();
    expect(Object.fromEntries(rows.map(({ thread_id, assistant_id }) => [thread_id, assistant_id]))).toEqual({
      'own graph': 'notes',
      'custom agent': 'painter',
      'set-up': 'lead_agent',
      'assistant of a user': 'some-id',
      'built-in agent': 'lead_agent',
      'no run': 'as made',
    });
    await opened.close();
  });
});
