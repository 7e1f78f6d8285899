import { getPoolOverview, type PoolOverview } from '@switchyard/contract/dispatch/overview';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue } from 'react';
import { LinkButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { keys } from '../../lib/data/keys.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useNow } from '../../lib/format/use-now.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Counters } from './counters.tsx';
import { headlineOf } from './headline.ts';
import { RecentOutput } from './recent-output.tsx';
import { RunningTasks } from './running-tasks.tsx';
import { Throughput } from './throughput.tsx';
import { Utilisation } from './utilisation.tsx';
import { Warnings } from './warnings.tsx';

const refreshMs = 15_000;

const boardQuery = queryOptions({
  queryKey: [...keys.overview, 'board'],
  queryFn: ({ signal }) => gateway.call(getPoolOverview, { signal }),
  refetchInterval: refreshMs,
});

/** Asks for the board while the rest of the console still loads. */
export function prepareOverview(queries: QueryClient): void {
  void queries.prefetchQuery(boardQuery);
}

/** The pool at a glance. Every number is of one answer, so that none contradicts another. */
export function OverviewPage() {
  const text = useText('overview');
  const board = useQuery(boardQuery);
  return (
    <Page
      title={text('title')}
      lead={board.data ? <Headline board={board.data} /> : undefined}
      actions={<LinkButton href="/workflows">{text('run')}</LinkButton>}
    >
      <QueryView query={board}>{(data) => <Board board={data} />}</QueryView>
    </Page>
  );
}

function Board({ board }: { board: PoolOverview }) {
  return (
    <div className="flex min-w-0 flex-col gap-8">
      <Warnings board={board} />
      <Counters board={board} />
      <Later>
        <div className="grid gap-8 lg:grid-cols-2">
          <RunningTasks board={board} />
          <RecentOutput board={board} />
          <Utilisation board={board} />
          <Throughput board={board} />
        </div>
      </Later>
    </div>
  );
}

/** One true sentence. */
function Headline({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const format = useFormat();
  const now = useNow();
  const eta = board.lastInLine?.eta ?? null;
  const { key, ...numbers } = headlineOf({ counts: board.counts, isEstimated: eta !== null });
  const range =
    eta === null
      ? ''
      : format.range(Math.max(0, Date.parse(eta.from) - now), Math.max(0, Date.parse(eta.to) - now));
  return <p className="text-lead text-text">{text(`headline.${key}`, { ...numbers, range })}</p>;
}

/**
 * Draws its children in a step of its own, once what stands above them has been drawn. A page that is laid out in two steps
 * shows its first part earlier and takes input in between. What stands below them would move, so they are the end of a page.
 */
function Later({ children }: { children: ReactNode }) {
  const isDrawn = useDeferredValue(true, false);
  return isDrawn ? children : null;
}
