import { type InstanceEvent, listInstanceEvents } from '@switchyard/contract/dispatch/instance-event';
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../kit/data-table.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { instanceEventsQuery, instancesQuery } from '../../lib/data/instances.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';

const eventsOfEach = 50;

/** The newest events of each instance, the newest first. */
export function Journal() {
  const text = useText('instances');
  const instances = useQuery(instancesQuery());
  const names = useMemo(
    () => new Map(instances.data?.map(({ id, serverName }) => [id, serverName])),
    [instances.data],
  );
  const answers = useQueries({
    queries: (instances.data ?? []).map(({ id }) => ({
      queryKey: [...keys.instance(id), 'events', 'newest'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        gateway.call(listInstanceEvents, {
          params: { instanceId: id },
          query: { limit: eventsOfEach },
          signal,
        }),
    })),
  });
  const failed = answers.find(({ error }) => error !== null);
  const isPending = instances.isPending || answers.some((answer) => answer.isPending);
  const view = {
    data: isPending ? undefined : newestFirst(answers.flatMap(({ data }) => data?.items ?? [])),
    error: instances.error ?? failed?.error ?? null,
    isPending,
    isFetching: instances.isFetching || answers.some(({ isFetching }) => isFetching),
    refetch: () => Promise.all([instances.refetch(), ...answers.map(({ refetch }) => refetch())]),
  };
  return (
    <QueryView
      query={view}
      isEmpty={(events) => events.length === 0}
      first={<EmptyState title={text('journal.empty')} />}
    >
      {(events) => (
        <>
          <p className="text-table text-text-2">{text('journal.scope', { count: eventsOfEach })}</p>
          <EventTable events={events} names={names} />
        </>
      )}
    </QueryView>
  );
}

/** Events of several instances in one line. Their ids begin with the time, so the order of ids is the order of time. */
function newestFirst<Event extends { id: string }>(events: readonly Event[]): Event[] {
  return [...events].sort((left, right) => (left.id < right.id ? 1 : -1));
}

/** The events of one instance, page after page. */
export function InstanceJournal({ instanceId }: { instanceId: string }) {
  const text = useText('instances');
  const pages = useInfiniteQuery(instanceEventsQuery(instanceId));
  return (
    <section aria-label={text('journal.title')} className="flex min-w-0 flex-col gap-2">
      <h2 className="text-body font-semibold">{text('journal.title')}</h2>
      <QueryView
        query={pages}
        isEmpty={({ pages: [first] }) => (first?.items.length ?? 0) === 0}
        first={<EmptyState title={text('journal.empty')} />}
      >
        {(data) => (
          <>
            <EventTable events={data.pages.flatMap(({ items }) => items)} />
            <MoreRows query={pages} isEarly />
          </>
        )}
      </QueryView>
    </section>
  );
}

function EventTable({
  events,
  names,
}: {
  events: readonly InstanceEvent[];
  names?: ReadonlyMap<string, string>;
}) {
  const text = useText('instances');
  const columns: Column<InstanceEvent>[] = [
    { id: 'kind', header: text('journal.event'), width: '11rem', cell: ({ kind }) => text(`event.${kind}`) },
    ...(names
      ? [
          {
            id: 'instance',
            header: text('journal.instance'),
            width: '9rem',
            cell: ({ instanceId }: InstanceEvent) => (
              <RowLink
                href={`/instances/${encodeURIComponent(instanceId)}`}
                command={`switchyard instances show ${instanceId} --events`}
                className="text-accent hover:underline"
              >
                {names.get(instanceId) ?? instanceId}
              </RowLink>
            ),
          },
        ]
      : []),
    {
      id: 'message',
      header: text('journal.message'),
      isLong: true,
      cell: (event) => <EventMessage event={event} />,
    },
    {
      id: 'at',
      header: text('journal.at'),
      width: '6rem',
      align: 'end',
      cell: ({ at }) => <TimeAgo at={at} />,
    },
  ];
  return <DataTable label={text('journal.title')} columns={columns} rows={events} rowKey={({ id }) => id} />;
}

function EventMessage({ event }: { event: InstanceEvent }) {
  const words = useGatewayWords().said(event);
  return (
    <span title={words}>
      {event.taskId === null ? (
        words
      ) : (
        <RowLink
          href={`/tasks/${event.taskId}`}
          command={`switchyard tasks get ${event.taskId}`}
          className="hover:underline"
        >
          {words}
        </RowLink>
      )}
    </span>
  );
}
