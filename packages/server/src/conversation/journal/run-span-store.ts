import type { Kysely } from 'kysely';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { ConversationTables, RunSpanRow } from '../tables.ts';

type Trx = WriteTransaction<ConversationTables>;

interface RunName {
  threadId: string;
  runId: string;
}

/** Part of a unit of the run. */
export async function saveSpans(trx: Trx, rows: readonly RunSpanRow[]): Promise<void> {
  await savedSpans.run(trx, rows);
}

/** Ends what a lost process was at, when the next attempt begins. */
export async function endLostSpans(
  trx: Trx,
  { threadId, runId }: RunName,
  { before, at, revision }: { before: number; at: string; revision: number },
): Promise<void> {
  await trx
    .updateTable('run_spans')
    .set({ ended_at: at, state: 'interrupted', revision })
    .where('thread_id', '=', threadId)
    .where('run_id', '=', runId)
    .where('attempt', '<', before)
    .where('ended_at', 'is', null)
    .execute();
}

/** Part of the unit that deletes a thread, or one of its runs. */
export async function deleteSpans(
  trx: Trx,
  { threadId, runId }: { threadId: string; runId?: string },
): Promise<void> {
  let spans = trx.deleteFrom('run_spans').where('thread_id', '=', threadId);
  if (runId !== undefined) spans = spans.where('run_id', '=', runId);
  await spans.execute();
}

export interface SpanRange extends RunName {
  limit: number;
  /** The last span that the reader has. */
  after: { start: string; id: string } | null;
  /** Only spans that were written after this revision. */
  changedAfter: number | null;
}

/** Reads the timelines of runs. The caller has checked whose run it is. */
export class RunSpanStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** In the order of their start. */
  async list({ after, changedAfter, limit, ...run }: SpanRange): Promise<RunSpanRow[]> {
    let spans = this.#spans(run).selectAll();
    if (changedAfter !== null) spans = spans.where('revision', '>', changedAfter);
    if (after) {
      const { start, id } = after;
      spans = spans
        .where('started_at', '>=', start)
        .where(({ eb, or }) => or([eb('started_at', '>', start), eb('span_id', '>', id)]));
    }
    return spans.orderBy('started_at').orderBy('span_id').limit(limit).execute();
  }

  /**
   * The tool calls that wait or waited for tasks, in the order of their start. A call that was interrupted may have begun a task
   * that only its repetition knows.
   */
  async callers(
    run: RunName,
    { until, limit }: { until: string | null; limit: number },
  ): Promise<RunSpanRow[]> {
    return this.#spans(run)
      .selectAll()
      .where('kind', '!=', 'model')
      .where(({ eb, or }) => or([eb('task_id', 'is not', null), eb('state', '=', 'interrupted')]))
      .$if(until !== null, (spans) => spans.where('started_at', '<=', until as string))
      .orderBy('started_at')
      .orderBy('span_id')
      .limit(limit)
      .execute();
  }

  /** The revision of the last write; 0 when there are no spans. */
  async revision(run: RunName): Promise<number> {
    const row = await this.#spans(run)
      .select('revision')
      .orderBy('revision', 'desc')
      .limit(1)
      .executeTakeFirst();
    return Number(row?.revision ?? 0);
  }

  #spans({ threadId, runId }: RunName) {
    return this.#database.read
      .selectFrom('run_spans')
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId);
  }
}

const columns = [
  'thread_id',
  'run_id',
  'started_at',
  'span_id',
  'parent_id',
  'attempt',
  'kind',
  'name',
  'ended_at',
  'state',
  'tool_call_id',
  'task_id',
  'usage',
  'revision',
] as const;

const savedSpans = new PreparedRows([...columns], (db: Kysely<ConversationTables>, rows: RunSpanRow[]) =>
  db
    .insertInto('run_spans')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['thread_id', 'run_id', 'started_at', 'span_id'])
        .doUpdateSet((update) => ({
          kind: update.ref('excluded.kind'),
          name: update.ref('excluded.name'),
          ended_at: update.ref('excluded.ended_at'),
          state: update.ref('excluded.state'),
          task_id: update.ref('excluded.task_id'),
          usage: update.ref('excluded.usage'),
          revision: update.ref('excluded.revision'),
        }))
        .whereRef('run_spans.revision', '<', 'excluded.revision' as 'run_spans.revision'),
    ),
);
