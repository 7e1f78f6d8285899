import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import { tokenColumns } from '../run-columns.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';
import type { PlacedRun, RunMarks } from './run-tree.ts';

const usedColumns = ['run_id', ...tokenColumns, 'token_usage_by_model'] as const;
export type RunTokens = Pick<RunRow, (typeof usedColumns)[number]>;

/** Reads what the rows of runs add to their events. */
export class RecordedRunStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** Only these runs carry marks; the metadata of the other runs of a long thread is not read. */
  async marks(owner: Owner, threadId: string): Promise<RunMarks[]> {
    const rows = await this.#runs(owner)
      .select(['run_id', 'status', 'metadata'])
      .where('thread_id', '=', threadId)
      .where((either) =>
        either.or([
          either('metadata', 'like', '%"regenerate_from_run_id"%'),
          either('metadata', 'like', '%"continue_from_run_id"%'),
        ]),
      )
      .execute();
    return rows.flatMap(({ run_id: runId, status, metadata }) => {
      const marks = JSON.parse(metadata) as Record<string, unknown>;
      const sourceRunId = textOrNull(marks.regenerate_from_run_id);
      const continuesFrom = textOrNull(marks.continue_from_run_id);
      if (sourceRunId === null && continuesFrom === null) return [];
      return [{ runId, status, sourceRunId, replayKind: textOrNull(marks.replay_kind), continuesFrom }];
    });
  }

  /** The newest runs of a thread, in the order of their admission. */
  async placed(owner: Owner, threadId: string, limit: number): Promise<PlacedRun[]> {
    const rows = await this.#runs(owner)
      .select(['run_id', 'status', 'checkpoint_id', 'created_at', 'ended_at'])
      .where('thread_id', '=', threadId)
      .orderBy('admission', 'desc')
      .limit(limit)
      .execute();
    return rows.reverse().map((row) => ({
      runId: row.run_id,
      status: row.status,
      checkpointId: row.checkpoint_id,
      isOpen: row.ended_at === null,
      createdAt: row.created_at,
    }));
  }

  /** Returns how long the finished runs took. */
  async durationsMs(owner: Owner, runIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.#runs(owner)
      .select(['run_id', 'started_at', 'ended_at'])
      .where(isOneOf(this.#database.dialect, { column: 'run_id', values: runIds }))
      .execute();
    return new Map(
      rows.flatMap(({ run_id, started_at, ended_at }) =>
        started_at && ended_at ? [[run_id, Date.parse(ended_at) - Date.parse(started_at)] as const] : [],
      ),
    );
  }

  /** The finished runs of a thread, with the totals that were counted at their end. */
  async endedTokens(owner: Owner, threadId: string): Promise<RunTokens[]> {
    return this.#runs(owner)
      .select(usedColumns)
      .where('thread_id', '=', threadId)
      .where('ended_at', 'is not', null)
      .execute();
  }

  /** The model of the newest run that has called one; null when none has. */
  async newestModel(threadId: string): Promise<string | null> {
    const run = await this.#database.read
      .selectFrom('runs')
      .select('model_name')
      .where('thread_id', '=', threadId)
      .where('model_name', 'is not', null)
      .orderBy('admission', 'desc')
      .limit(1)
      .executeTakeFirst();
    return run?.model_name ?? null;
  }

  async openRuns(owner: Owner, threadId: string): Promise<Pick<RunRow, 'run_id' | 'user_id'>[]> {
    return this.#runs(owner)
      .select(['run_id', 'user_id'])
      .where('thread_id', '=', threadId)
      .where('ended_at', 'is', null)
      .execute();
  }

  #runs(owner: Owner) {
    const scope = userScope(owner);
    const runs = this.#database.read.selectFrom('runs');
    return scope === null ? runs : runs.where('user_id', '=', scope);
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
