import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type {
  RunMessages,
  ThreadMessage,
  ThreadMessagePage,
} from '@switchyard/contract/conversation/run-events';
import type { Owner } from '../../lib/owner.ts';
import type { EventStorage, PageBounds } from './event-storage.ts';
import { isAnswer, isShown } from './message-visibility.ts';
import type { RecordedRunStore } from './recorded-run-store.ts';
import { hiddenInThread } from './shown-runs.ts';

/** The owner's feedback on the runs of a thread, by run. */
export type FeedbackOfRuns = (
  owner: Owner,
  threadId: string,
  runIds: readonly string[],
) => Promise<ReadonlyMap<string, { feedback_id: string; rating: number; comment: string | null }>>;

/** This many rows are read at once while a page fills with those that are shown. */
const rowsAtOnce = 200;

/** The conversation from its stored events: it stays complete when the agent's state is summarised. */
export class ThreadMessages {
  readonly #options;

  constructor(options: {
    storage: Pick<EventStorage, 'list' | 'lastAnswers'>;
    runs: Pick<RecordedRunStore, 'marks' | 'placed' | 'durationsMs'>;
    feedbackOf: FeedbackOfRuns;
  }) {
    this.#options = options;
  }

  /** All stored messages. */
  async ofThread(owner: Owner, threadId: string, bounds: PageBounds): Promise<ThreadMessage[]> {
    const rows = await this.#options.storage.list(owner, { threadId, category: 'message', ...bounds });
    return this.#decorate(owner, threadId, rows);
  }

  async ofRun(
    owner: Owner,
    { threadId, runId }: { threadId: string; runId: string },
    { limit, ...bounds }: PageBounds,
  ): Promise<RunMessages> {
    const filter = { threadId, runId, category: 'message', ...bounds, limit: limit + 1 } as const;
    const rows = await this.#options.storage.list(owner, filter);
    const isForward = bounds.afterSeq !== undefined;
    const data = isForward ? rows.slice(0, limit) : rows.slice(-limit);
    return { data, has_more: rows.length > limit };
  }

  /** The messages that are shown to a reader, backwards from the end or from a cursor; with `runId` of the conversation with it. */
  async shown(
    owner: Owner,
    threadId: string,
    { limit, beforeSeq, runId }: Omit<PageBounds, 'afterSeq'> & { runId?: string | undefined },
  ): Promise<ThreadMessagePage> {
    const hidden = await hiddenInThread(this.#options.runs, owner, { threadId, runId });
    let shown: RunEvent[] = [];
    for (let edge = beforeSeq; ; ) {
      const filter = { threadId, category: 'message', limit: rowsAtOnce, beforeSeq: edge } as const;
      const rows = await this.#options.storage.list(owner, filter);
      shown = [...rows.filter((row) => isShown(row, hidden)), ...shown];
      if (shown.length > limit || rows.length < rowsAtOnce) break;
      edge = rows[0]?.seq;
    }
    const data = await this.#decorate(owner, threadId, shown.slice(-limit));
    const hasMore = shown.length > limit;
    return { data, has_more: hasMore, next_before_seq: hasMore ? (data[0]?.seq ?? null) : null };
  }

  /** Adds what concerns the run to its last answer: feedback, and how long it took. */
  async #decorate(owner: Owner, threadId: string, rows: RunEvent[]): Promise<ThreadMessage[]> {
    const runIds = [...new Set(rows.filter(isAnswer).map((row) => row.run_id))];
    if (runIds.length === 0) return rows.map((row) => ({ ...row, feedback: null }));
    const { storage, runs, feedbackOf } = this.#options;
    const [last, feedback, durations] = await Promise.all([
      storage.lastAnswers(owner, threadId, runIds),
      feedbackOf(owner, threadId, runIds),
      runs.durationsMs(owner, runIds),
    ]);
    return rows.map((row) => {
      if (last.get(row.run_id) !== row.seq) return { ...row, feedback: null };
      const given = feedback.get(row.run_id);
      return {
        ...row,
        content: withDuration(row.content, durations.get(row.run_id)),
        feedback: given
          ? { feedback_id: given.feedback_id, rating: given.rating, comment: given.comment }
          : null,
      };
    });
  }
}

/** In seconds, where interfaces look for it. */
function withDuration(content: unknown, durationMs: number | undefined): unknown {
  if (durationMs === undefined || typeof content !== 'object' || content === null) return content;
  const { additional_kwargs: extra } = content as { additional_kwargs?: object };
  return { ...content, additional_kwargs: { ...extra, turn_duration: durationMs / 1_000 } };
}
