import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';
import type { ConversationTables } from '../tables.ts';

export const name = '002-usage';

export async function up(db: Kysely<never>): Promise<void> {
  await createTable(db);
  await fillFromRuns(db as unknown as Kysely<ConversationTables>);
  await db.schema
    .createIndex('runs_owner_status')
    .on('runs')
    .columns(['user_id', 'status', 'run_id'])
    .execute();
}

const counters = ['calls', 'tokens', 'input_tokens', 'output_tokens', 'cache_read_tokens'] as const;

async function createTable(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  let table = db.schema
    .createTable('run_usage')
    .addColumn('run_id', id, (column) => column.notNull())
    .addColumn('model', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('ended_ms', 'bigint', (column) => column.notNull())
    .addColumn('first_of_run', 'integer', (column) => column.notNull());
  for (const counter of counters) table = table.addColumn(counter, 'bigint', (column) => column.notNull());
  await table
    .addPrimaryKeyConstraint('run_usage_pk', ['run_id', 'model'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  // The index holds whole rows, so that sums over months are read from it alone.
  const summed = ['model', 'first_of_run', ...counters] as const;
  await db.schema
    .createIndex('run_usage_owner')
    .on('run_usage')
    .columns(['user_id', 'ended_ms', ...summed])
    .execute();
  await db.schema
    .createIndex('run_usage_ended')
    .on('run_usage')
    .columns(['ended_ms', 'user_id', ...summed])
    .execute();
}

const runsAtOnce = 200;

/** Counts runs that ended before this table existed. */
async function fillFromRuns(db: Kysely<ConversationTables>): Promise<void> {
  for (let after = ''; ; ) {
    const runs = await db
      .selectFrom('runs')
      .select(['run_id', 'user_id', 'ended_at', 'token_usage_by_model'])
      .where('ended_at', 'is not', null)
      .where('run_id', '>', after)
      .orderBy('run_id')
      .limit(runsAtOnce)
      .execute();
    const last = runs.at(-1);
    if (last === undefined) return;
    await db.insertInto('run_usage').values(runs.flatMap(rowsOf)).execute();
    after = last.run_id;
  }
}

interface EndedRun {
  run_id: string;
  user_id: string;
  ended_at: string | null;
  token_usage_by_model: string;
}

/** Counts runs as the product does today. It is copied here because a migration must not change with the product. */
function rowsOf({ run_id, user_id, ended_at, token_usage_by_model }: EndedRun) {
  type Usage = Partial<Record<(typeof counters)[number], number>>;
  const models = Object.entries(JSON.parse(token_usage_by_model) as Record<string, Usage>);
  const counted: [string, Usage][] = models.length === 0 ? [['', {}]] : models;
  return counted.map(([model, usage], index) => ({
    run_id,
    model,
    user_id,
    ended_ms: Date.parse(ended_at ?? ''),
    first_of_run: index === 0 ? 1 : 0,
    calls: usage.calls ?? 0,
    tokens: usage.tokens ?? 0,
    input_tokens: usage.input_tokens ?? 0,
    output_tokens: usage.output_tokens ?? 0,
    cache_read_tokens: usage.cache_read_tokens ?? 0,
  }));
}
