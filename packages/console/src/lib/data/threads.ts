import { listAnswers } from '@switchyard/contract/conversation/answers';
import { type ConsoleRun, listConsoleRuns } from '@switchyard/contract/conversation/console';
import { getThreadTokenUsage, pageThreadMessages } from '@switchyard/contract/conversation/run-events';
import { listRuns } from '@switchyard/contract/conversation/runs';
import type { FoundThread } from '@switchyard/contract/conversation/thread';
import { getState, getStateAt, getThread, searchThreads } from '@switchyard/contract/conversation/threads';
import { listUploads } from '@switchyard/contract/conversation/uploads';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { asideMark } from './aside-mark.ts';
import { keys } from './keys.ts';

/** The part of a thread that a list shows. */
export type ListedThread = Required<Omit<FoundThread, 'extracted' | 'interrupts' | 'values'>>;

export interface ThreadFilter {
  pinned?: boolean;
  aside?: boolean;
  /** Part of the title. */
  q?: string;
}

const perPage = 50;
const listed = [
  'thread_id',
  'status',
  'created_at',
  'updated_at',
  'state_updated_at',
  'run_ended_at',
  'unread',
  'assistant_id',
  'title',
  'metadata',
  'error',
] as const;

/** The threads of the user, the last changed first. */
export function threadPagesQuery({ pinned, aside, q }: ThreadFilter = {}) {
  return infiniteQueryOptions({
    queryKey: [...keys.threadPages, { pinned, aside, q }],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const marks = { ...(pinned === true && { pinned }), ...(aside === true && { [asideMark]: aside }) };
      const body = {
        ...(Object.keys(marks).length > 0 && { metadata: marks }),
        ...(q !== undefined && { q }),
        limit: perPage,
        offset,
        select: [...listed],
      };
      return (await gateway.call(searchThreads, { body, signal })) as ListedThread[];
    },
    getNextPageParam: (page, _pages, offset) => (page.length < perPage ? undefined : offset + perPage),
  });
}

export function threadQuery(threadId: string) {
  return queryOptions({
    queryKey: [...keys.thread(threadId), 'record'],
    queryFn: ({ signal }) => gateway.call(getThread, { params: { thread_id: threadId }, signal }),
  });
}

/** The newest state of a thread, or the one that is named. */
export function threadStateQuery(threadId: string, checkpointId: string | null = null) {
  return queryOptions({
    queryKey: [...keys.thread(threadId), 'state', ...(checkpointId === null ? [] : [checkpointId])],
    queryFn: ({ signal }) =>
      checkpointId === null
        ? gateway.call(getState, { params: { thread_id: threadId }, signal })
        : gateway.call(getStateAt, { params: { thread_id: threadId, checkpoint_id: checkpointId }, signal }),
  });
}

/**
 * Asks for the messages, the newest page first: of the newest conversation of the thread, or of the one with this run.
 */
export function threadMessagesQuery(threadId: string, runId: string | null = null) {
  return infiniteQueryOptions({
    queryKey: [...keys.thread(threadId), 'messages', ...(runId === null ? [] : [runId])],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      gateway.call(pageThreadMessages, {
        params: { thread_id: threadId },
        query: {
          limit: 100,
          ...(pageParam !== undefined && { before_seq: pageParam }),
          ...(runId !== null && { run_id: runId }),
        },
        signal,
      }),
    getNextPageParam: ({ has_more, next_before_seq }) =>
      has_more ? (next_before_seq ?? undefined) : undefined,
  });
}

/** The answers that were given more than once. */
export function threadAnswersQuery(threadId: string) {
  return queryOptions({
    queryKey: [...keys.thread(threadId), 'answers'],
    queryFn: ({ signal }) => gateway.call(listAnswers, { params: { thread_id: threadId }, signal }),
  });
}

/** The newest runs of a thread. */
export function threadRunsQuery(threadId: string) {
  return queryOptions({
    queryKey: [...keys.thread(threadId), 'runs'],
    queryFn: ({ signal }) =>
      gateway.call(listRuns, { params: { thread_id: threadId }, query: { limit: 200 }, signal }),
  });
}

export function threadTokensQuery(threadId: string) {
  return queryOptions({
    queryKey: [...keys.thread(threadId), 'tokens'],
    queryFn: ({ signal }) =>
      gateway.call(getThreadTokenUsage, {
        params: { thread_id: threadId },
        query: { include_active: 'true' },
        signal,
      }),
  });
}

/** Asks for the costs of the newest runs of a thread, by run. */
export function threadCostsQuery(threadId: string) {
  return queryOptions({
    queryKey: [...keys.thread(threadId), 'costs'],
    queryFn: async ({ signal }): Promise<Record<string, Pick<ConsoleRun, 'cost' | 'currency'>>> => {
      const query = { thread_id: threadId, limit: 100 };
      const { runs } = await gateway.call(listConsoleRuns, { query, signal });
      return Object.fromEntries(runs.map(({ run_id, cost, currency }) => [run_id, { cost, currency }]));
    },
  });
}

export function threadUploadsQuery(threadId: string) {
  return queryOptions({
    queryKey: [...keys.thread(threadId), 'uploads'],
    queryFn: ({ signal }) => gateway.call(listUploads, { params: { thread_id: threadId }, signal }),
  });
}
