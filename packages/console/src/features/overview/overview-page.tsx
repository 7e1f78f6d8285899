import {
  getPoolOverview,
  type InstanceLoad,
  type PoolOverview,
} from '@switchyard/contract/dispatch/overview';
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { StandingBars } from '../../kit/bars/standing-bars.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { focusRing } from '../../kit/parts/classes.ts';
import { ThumbPicture } from '../../kit/pictures/thumb.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { Section } from '../../kit/section.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { keys } from '../../lib/data/keys.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { useNow } from '../../lib/format/use-now.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { Counters } from './counters.tsx';
import { headlineOf, type Warning, warningsOf } from './headline.ts';
import { RunningTasks } from './running-tasks.tsx';
import { Throughput } from './throughput.tsx';

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

const maxPictures = 12;

/** The last pictures that were made; each leads to its task. */
function RecentOutput({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const pictures = board.recent
    .flatMap(({ id, result }) => (result?.outputs ?? []).map((output) => ({ ...output, taskId: id })))
    .filter(({ contentType }) => contentType.startsWith('image/'))
    .slice(0, maxPictures);
  return (
    <Section
      title={text('recent.title')}
      aside={
        <Link href="/gallery" className="text-table text-accent hover:underline">
          {text('recent.gallery')}
        </Link>
      }
    >
      {pictures.length === 0 ? (
        <div className="flex flex-col items-start gap-2">
          <p className="text-body text-text-2">{text('recent.none')}</p>
          <LinkButton href="/start">{text('recent.start')}</LinkButton>
        </div>
      ) : (
        <ul className="grid grid-cols-4 gap-1 sm:grid-cols-6">
          {pictures.map(({ fileId, filename, taskId, contentType }) => (
            <li key={fileId} className="min-w-0">
              <Link
                href={`/tasks/${taskId}`}
                className={`${focusRing} relative block aspect-square overflow-hidden rounded-control bg-sunken`}
              >
                <ThumbPicture fileId={fileId} alt={filename} cssPixels={96} contentType={contentType} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const maxShown = 5;

/** The conditions that need somebody's attention now, each with a link to the page that helps. */
function Warnings({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const warnings = warningsOf(board);
  if (warnings.length === 0) return null;
  return (
    <ul aria-label={text('warning.label')} className="flex flex-col gap-2">
      {warnings.slice(0, maxShown).map((warning) => (
        <li
          key={warning.key === 'unreachable' ? warning.instanceId : warning.key}
          className="flex items-start gap-2 rounded-card bg-waiting-tint px-3 py-2 text-body"
        >
          <TriangleAlert size={16} strokeWidth={1.75} aria-hidden className="mt-0.5 shrink-0 text-waiting" />
          <WarningText warning={warning} />
        </li>
      ))}
      {warnings.length > maxShown ? (
        <li className="text-table text-text-2">
          {text('warning.more', { count: warnings.length - maxShown })}
        </li>
      ) : null}
    </ul>
  );
}

function WarningText({ warning }: { warning: Warning }) {
  const text = useText('overview');
  const format = useFormat();
  const values = {
    count: 'count' in warning ? warning.count : 0,
    name: 'name' in warning ? warning.name : '',
    pools: 'pools' in warning ? format.list(warning.pools) : '',
  };
  return (
    <p className="flex min-w-0 flex-wrap gap-x-2 break-words">
      <span>{text(`warning.${warning.key}`, values)}</span>
      <Link href={addressOf(warning)} className="text-accent underline">
        {text(`warning.${warning.key}Action`)}
      </Link>
    </p>
  );
}

function addressOf(warning: Warning): string {
  if (warning.key === 'unreachable') return `/instances/${encodeURIComponent(warning.instanceId)}`;
  return warning.key === 'noWorker' ? '/instances' : '/instances?view=pauses';
}

/**
 * Draws its children in a step of its own, once what stands above them has been drawn. A page that is laid out in two steps
 * shows its first part earlier and takes input in between. What stands below them would move, so they are the end of a page.
 */
function Later({ children }: { children: ReactNode }) {
  const isDrawn = useDeferredValue(true, false);
  return isDrawn ? children : null;
}

/** How busy each instance was, minute by minute, with the same as a number. */
function Utilisation({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  return (
    <Section
      title={text('load.title')}
      aside={<span className="text-table text-text-2">{text('lastHour')}</span>}
    >
      {board.instances.length === 0 ? <p className="text-body text-text-2">{text('load.none')}</p> : null}
      <ul className="flex flex-col gap-2">
        {board.instances.map((load) => (
          <li key={load.instanceId}>
            <Strip load={load} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Strip({ load }: { load: InstanceLoad }) {
  const text = useText('overview');
  const format = useFormat();
  const percent = format.percent(load.utilisation * 100);
  return (
    <div className="grid grid-cols-[minmax(5rem,8rem)_1fr_3rem] items-center gap-3 text-table">
      <Link
        href={`/instances/${encodeURIComponent(load.instanceId)}`}
        className="min-w-0 truncate hover:underline"
      >
        {load.serverName}
      </Link>
      <StandingBars
        layers={[
          {
            bars: load.busy.map((part) => ({ from: 0, to: part })),
            className: 'fill-chart-1 forced-colors:fill-[Highlight]',
          },
        ]}
        className="h-5 w-full rounded-control bg-sunken"
      />
      <span className="text-right tabular-nums">{percent}</span>
      <span className="col-start-2 -mt-1 text-meta text-text-2">
        {load.lastUsedAt === null ? text('load.neverUsed') : text('load.lastUsed')}{' '}
        {load.lastUsedAt === null ? null : <TimeAgo at={load.lastUsedAt} />}
      </span>
    </div>
  );
}
