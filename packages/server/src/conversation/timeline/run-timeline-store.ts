import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
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
