import { listConsoleRuns } from '@switchyard/contract/conversation/console';
import type { RunStatus } from '@switchyard/contract/conversation/run';
import { listRunEvents } from '@switchyard/contract/conversation/run-events';
import { getRun } from '@switchyard/contract/conversation/runs';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { keys } from './keys.ts';

export interface RunFilter {
  status?: RunStatus | undefined;
  agent?: string | undefined;
  model?: string | undefined;
  thread_id?: string | undefined;
  scope?: 'own' | 'all';
}

const perPage = 50;

/** Runs of all threads, the newest first. */
export function runPagesQuery(filter: RunFilter = {}) {
  return infiniteQueryOptions({
    queryKey: [...keys.runPages, filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      gateway.call(listConsoleRuns, { query: { ...filter, limit: perPage, cursor }, signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
}

export function runQuery(threadId: string, runId: string) {
  return queryOptions({
    queryKey: [...keys.run(threadId, runId), 'record'],
    queryFn: ({ signal }) => gateway.call(getRun, { params: { thread_id: threadId, run_id: runId }, signal }),
  });
}

const perEventPage = 500;

/** The stored events of a run from its beginning; with `types`, only these. */
export function runEventsQuery(threadId: string, runId: string, types: readonly string[] = []) {
  return infiniteQueryOptions({
    queryKey: [...keys.run(threadId, runId), 'events', types],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      gateway.call(listRunEvents, {
        params: { thread_id: threadId, run_id: runId },
        query: {
          limit: perEventPage,
          ...(types.length > 0 && { event_types: types.join(',') }),
          ...(pageParam !== undefined && { after_seq: pageParam }),
        },
        signal,
      }),
    getNextPageParam: (page) => (page.length < perEventPage ? undefined : page.at(-1)?.seq),
  });
}
