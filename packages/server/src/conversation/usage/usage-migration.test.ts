import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { describe, expect, it } from 'vitest';
import { emptyRun } from '../../../testing/journal-fixture.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables } from '../tables.ts';

const postgres = testPostgres('a Postgres database with runs of before');
const usage = { tokens: 12, input_tokens: 10, output_tokens: 2, calls: 1 };

describe.each([
  {
    title: 'an SQLite database with runs of before',
    isSkipped: false,
    where: async () => ({ backend: 'memory' }),
  },
  {
    ...postgres,
    where: async () => patientPostgres(await postgres.createDatabase(), 2),
  },
])('$title', ({ isSkipped, where }) => {
  it.skipIf(isSkipped)(
    'counts the usage of each finished run once, and leaves out runs that are under way',
    async () => {
      const opened = await openDatabase((await where()) as DatabaseOptions);
      const database = opened.withTables<ConversationTables>();
      await migrate(opened, 'conversation', conversationMigrations.slice(0, 1));
      const runs = Array.from({ length: 450 }, (_, index) => ({
        ...emptyRun,
        run_id: `run-${index}`,
        admission: index,
        ended_at: index === 0 ? null : '2026-03-10T10:00:00.000Z',
        token_usage_by_model: index % 2 === 0 ? '{}' : JSON.stringify({ fast: usage, slow: usage }),
      }));
      await database.write(async (trx) => {
        // The column of a later step.
        for (const { context_tokens: _, ...run } of runs) await trx.insertInto('runs').values(run).execute();
      });
      await migrate(opened, 'conversation', conversationMigrations);

      const rows = await database.read
        .selectFrom('run_usage')
        .selectAll()
        .orderBy('run_id')
        .orderBy('model')
        .execute();
      expect(rows).toHaveLength(224 + 2 * 225);
      expect(rows.filter(({ first_of_run }) => first_of_run === 1)).toHaveLength(449);
      expect(rows[0]).toEqual({
        run_id: 'run-1',
        model: 'fast',
        user_id: emptyRun.user_id,
        ended_ms: Date.parse('2026-03-10T10:00:00.000Z'),
        first_of_run: 1,
        cache_read_tokens: 0,
        agent: emptyRun.assistant_id,
        ...usage,
      });
      await opened.close();
    },
  );
});
