import { runStatuses } from '@switchyard/contract/conversation/run';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { LinkButton } from '../../kit/button.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { FilterEmpty } from '../../kit/forms/filter-empty.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { type RunFilter, runPagesQuery } from '../../lib/data/runs.ts';
import { useText } from '../../lib/i18n.ts';
import { useLive } from '../../lib/live/live-provider.tsx';
import { useSession } from '../../lib/session.ts';
import { ImportButton } from './import-button.tsx';
import { useRunColumns } from './list/run-columns.tsx';
import { RunFilters } from './list/run-filters.tsx';

const busyMs = 5_000;

/** Runs of all threads, the newest first. */
export function RunsPage() {
  const text = useText('runs');
  const { filter, isFiltered } = useRunFilter();
  const { state } = useLive();
  const query = useInfiniteQuery({
    ...runPagesQuery(filter),
    // Frames show when a run of the user begins or ends, but not when a run of another user does.
    refetchInterval: ({ state: { data } }) =>
      (state !== 'live' || filter.scope === 'all') &&
      data?.pages.some(({ runs }) => runs.some(({ status }) => status === 'pending' || status === 'running'))
        ? busyMs
        : false,
  });
  const runs = useMemo(() => query.data?.pages.flatMap((page) => page.runs), [query.data]);
  const columns = useRunColumns(runs ?? []);
  const clear = () => setQuery({ status: null, agent: null, model: null, thread: null });
  return (
    <Page title={text('list.title')} lead={text('list.lead')} actions={<ImportButton />}>
      <RunFilters />
      <QueryView
        query={{ ...query, data: runs }}
        isEmpty={(rows) => rows.length === 0}
        first={
          <EmptyState
            title={text('list.none')}
            action={<LinkButton href="/chat">{text('list.startChat')}</LinkButton>}
            command='switchyard chat "what can you do?"'
          >
            {text('list.noneHelp')}
          </EmptyState>
        }
        filtered={isFiltered ? <FilterEmpty title={text('list.noneFiltered')} onClear={clear} /> : undefined}
      >
        {(rows) => (
          <>
            <DataTable
              label={text('list.title')}
              columns={columns}
              rows={rows}
              rowKey={({ run_id }) => run_id}
            />
            <MoreRows query={query} label={text('list.more')} />
          </>
        )}
      </QueryView>
    </Page>
  );
}

function useRunFilter() {
  const { isAdmin } = useSession();
  const [status] = useQueryState('status');
  const [agent] = useQueryState('agent');
  const [model] = useQueryState('model');
  const [thread] = useQueryState('thread');
  const [scope] = useQueryState('scope');
  const filter: RunFilter = {
    status: runStatuses.find((each) => each === status),
    agent: agent ?? undefined,
    model: model ?? undefined,
    thread_id: thread ?? undefined,
    scope: isAdmin && scope === 'all' ? 'all' : 'own',
  };
  return { filter, isFiltered: [status, agent, model, thread].some((value) => value !== null) };
}
