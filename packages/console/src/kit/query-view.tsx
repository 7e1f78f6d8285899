import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { useText } from '../lib/i18n.ts';
import { classes } from './parts/classes.ts';
import { EmptyState } from './states/empty-state.tsx';
import { ErrorState } from './states/error-state.tsx';
import { isMissing } from './states/error-text.ts';
import { Skeleton } from './states/skeleton.tsx';

/** The part of a query that a view needs; the queries of react-query have it. */
export interface ViewedQuery<Data> {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => unknown;
}

interface QueryViewProps<Data> {
  query: ViewedQuery<Data>;
  isEmpty?: ((data: Data) => boolean) | undefined;
  /** Shown when there is nothing yet: what belongs here, one action and one command. */
  first?: ReactNode;
  /** Shown instead of `first` while a filter is set: names the filter and clears it. */
  filtered?: ReactNode;
  /** Shown when the thing does not exist for this user, older content or not. */
  gone?: ReactNode;
  /** The shape of what is being loaded; six rows unless it is given. */
  skeleton?: ReactNode;
  /** Takes the room that is left in a page that fills the window. */
  fills?: boolean | undefined;
  children: (data: Data) => ReactNode;
}

const skeletonAfterMs = 150;

/** Shows what a query knows in one of six states, each with its own words. */
export function QueryView<Data>(props: QueryViewProps<Data>) {
  const { query, isEmpty, first, filtered, gone, skeleton, fills, children } = props;
  const text = useText('kit');
  const { data } = query;
  // The first view is drawn in short steps, so that the page takes input meanwhile. Later ones are small changes.
  const isDrawn = useDeferredValue(data !== undefined);
  if (gone && isMissing(query.error)) return gone;
  if (data === undefined || !isDrawn) {
    if (data === undefined && query.error)
      return <ErrorState error={query.error} retry={query.refetch} busy={query.isFetching} />;
    return <Loading label={text('state.loading')}>{skeleton ?? <Skeleton rows={6} />}</Loading>;
  }
  const empty = isEmpty?.(data) ?? false;
  return (
    <div
      aria-busy={query.isFetching}
      className={classes('flex min-w-0 flex-col gap-3', fills && 'min-h-0 flex-1')}
    >
      {query.error ? (
        <ErrorState error={query.error} retry={query.refetch} busy={query.isFetching} stale />
      ) : null}
      {empty ? (filtered ?? first ?? <EmptyState title={text('state.empty')} />) : children(data)}
    </div>
  );
}

/** Shows nothing for the first moment, so that a quick answer does not flicker. */
function Loading({ label, children }: { label: string; children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), skeletonAfterMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true">
      <span className="sr-only" role="status">
        {late ? label : ''}
      </span>
      <div className={late ? '' : 'invisible'}>{children}</div>
    </div>
  );
}
