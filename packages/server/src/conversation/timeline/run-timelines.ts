import type { RunSpan, RunTimeline, TimelineQuery } from '@switchyard/contract/conversation/timeline';
import type { Clock } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import {
  markOf,
  markText,
  pageOf,
  type SpanPlace,
  spanPlaceAt,
  type TimelineMark,
  timeBefore,
} from '../../lib/timeline-page.ts';
import type { ReadTogether } from '../../platform/database/snapshot.ts';
import { runNotFound } from '../journal/run-not-found.ts';
import type { RunSpanStore } from '../journal/run-span-store.ts';
import type { RunSpanRow } from '../tables.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ModelPrices } from '../usage/costs.ts';
import { spanOfRow, spansOfRun } from './run-span-view.ts';
import type { RunTimelineStore, TimedRun } from './run-timeline-store.ts';

/** A span of a task of the pool; the task itself has no parent. */
export type PoolSpan = RunSpan & { links: { task_id: string } };

/** The spans of the pool's tasks. */
export interface PoolSpans {
  /** The first spans of these tasks of a user after a place, in their order. */
  first(
    userId: string,
    query: {
      taskIds: readonly string[];
      after: SpanPlace | null;
      until: string | null;
      changedSince: string | null;
      limit: number;
    },
  ): Promise<PoolSpan[]>;
}

interface TimelineStores {
  store: RunTimelineStore;
  spans: RunSpanStore;
  /** Null when this gateway has no pool. */
  poolSpans: PoolSpans | null;
}

interface RunName {
  threadId: string;
  runId: string;
}

interface Query {
  after: SpanPlace | null;
  since: TimelineMark | null;
  limit: number;
}

const usualLimit = 200;
/** The tasks of further tool calls of a run are left out. */
const maxTasks = 10_000;

/** The timeline of a run, from rows alone: its own spans, and those of the tasks that it has asked the pool for. */
export class RunTimelines {
  readonly #options;

  constructor(options: {
    together: ReadTogether<TimelineStores>;
    access: Pick<ThreadAccess, 'require'>;
    prices: ModelPrices;
    clock: Clock;
  }) {
    this.#options = options;
  }

  async page(
    owner: Owner,
    name: RunName,
    { limit = usualLimit, cursor, since }: TimelineQuery,
  ): Promise<RunTimeline> {
    const query = { after: spanPlaceAt(cursor), since: markOf(since), limit };
    await this.#options.access.require(owner, name.threadId, { mustExist: false });
    return this.#options.together((stores) => this.#page(owner, name, { query, stores }));
  }

  async #page(
    owner: Owner,
    name: RunName,
    { query, stores }: { query: Query; stores: TimelineStores },
  ): Promise<RunTimeline> {
    const { prices, clock } = this.#options;
    const { store, spans } = stores;
    const { limit } = query;
    const mark = markText({ revision: await spans.revision(name), atMs: clock() });
    const run = await store.run(owner, name);
    if (!run) throw runNotFound(name.runId);
    const own = await spans.list({
      ...name,
      after: query.after,
      changedAfter: query.since?.revision ?? null,
      limit: limit + 1,
    });
    const all = [
      ...spansOfRun(run, prices),
      ...own.map((row) => spanOfRow(row, { run, prices })),
      ...(await spansOfPool(run, {
        query,
        stores,
        until: own.length > limit ? own.at(-1)?.started_at : undefined,
      })),
    ];
    const { spans: shown, nextCursor } = pageOf(all, query);
    return { run_id: run.run_id, spans: shown, next_cursor: nextCursor, mark, live: run.ended_at === null };
  }
}

async function spansOfPool(
  run: TimedRun,
  {
    query,
    stores: { poolSpans, spans },
    until = null,
  }: { query: Query; stores: TimelineStores; until: string | null | undefined },
): Promise<RunSpan[]> {
  if (!poolSpans) return [];
  const name = { threadId: run.thread_id, runId: run.run_id };
  const callers = await spans.callers(name, { until, limit: maxTasks });
  const taskIds = [...new Set(callers.flatMap(({ task_id }) => task_id ?? []))];
  if (taskIds.length === 0) return [];
  const { after, since, limit } = query;
  const found = await poolSpans.first(run.user_id, {
    taskIds,
    after,
    until,
    changedSince: since && timeBefore(since),
    limit: limit + 1,
  });
  return found.map((span) => (span.parent_id === null ? below(span, { callers, run }) : span));
}

/** After a crash, a tool is called again and finds its task: the task stays below the call that began it. */
function below(span: PoolSpan, { callers, run }: { callers: readonly RunSpanRow[]; run: TimedRun }): RunSpan {
  const own = callers.filter(({ task_id }) => task_id === span.links.task_id);
  const same = callers.filter(({ tool_call_id: id }) => id !== null && id === own[0]?.tool_call_id);
  const isEarlier = ({ started_at }: RunSpanRow): boolean => started_at <= span.start;
  const caller = own.findLast(isEarlier) ?? same.findLast(isEarlier) ?? own[0];
  return {
    ...span,
    parent_id: caller?.span_id ?? run.run_id,
    links: { ...span.links, tool_call_id: caller?.tool_call_id ?? null },
  };
}
