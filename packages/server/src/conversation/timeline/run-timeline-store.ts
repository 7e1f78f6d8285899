import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ConversationTables, RunRow, RunSpanRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';

const columns = [
  'run_id',
  'thread_id',
  'user_id',
  'assistant_id',
  'status',
  'attempt',
  'cancel_action',
  'token_usage_by_model',
  'created_at',
  'run_at',
  'started_at',
  'ended_at',
] as const;

export type TimedRun = Pick<RunRow, (typeof columns)[number]>;

/** Reads the run that a timeline is about. */
export class RunTimelineStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  async run(
    owner: Owner,
    { threadId, runId }: { threadId: string; runId: string },
  ): Promise<TimedRun | undefined> {
    const scope = userScope(owner);
    const run = this.#database.read
      .selectFrom('runs')
      .select(columns)
      .where('run_id', '=', runId)
      .where('thread_id', '=', threadId);
    return (scope === null ? run : run.where('user_id', '=', scope)).executeTakeFirst();
  }
}

/** A connection, or the transaction that ends the run. */
export type RunRowsReader = Pick<Database<ConversationTables>['read'], 'selectFrom'>;

/** Returns the span around a run; undefined when nothing was traced. */
export async function traceparentOfRun(read: RunRowsReader, runId: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('run_inputs')
    .select('kwargs')
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return (JSON.parse(row?.kwargs ?? '{}') as { traceparent?: string }).traceparent;
}

/** Returns all spans of a run, in the order in which they began. */
export function spanRowsOfRun(
  read: RunRowsReader,
  { thread_id: threadId, run_id: runId }: Pick<RunRow, 'thread_id' | 'run_id'>,
): Promise<RunSpanRow[]> {
  return read
    .selectFrom('run_spans')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where('run_id', '=', runId)
    .orderBy('span_id')
    .execute();
}
