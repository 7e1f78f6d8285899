import { listReceivedShares, type ReceivedShare, type ShareKind } from '@switchyard/contract/dispatch/share';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { DataTable } from '../../kit/data-table.tsx';
import { Page } from '../../kit/page.tsx';
import { Thumb } from '../../kit/pictures/thumb.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { keys } from '../../lib/data/keys.ts';
import { pagesOf } from '../../lib/data/pages.ts';
import { blank } from '../../lib/format/format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

const receivedQuery = pagesOf([...keys.shares, 'received'], (offset, signal) =>
  gateway.call(listReceivedShares, { query: { limit: 100, offset }, signal }),
);

const addressOf: Record<ShareKind, (id: string) => string> = {
  workflow: (id) => `/workflows/${id}`,
  collection: (id) => `/gallery?collection=${id}`,
  file: (id) => `/gallery?file=${id}`,
};

/** The things that others share with the user. */
export function SharedPage() {
  const text = useText('sharing');
  const query = useInfiniteQuery(receivedQuery);
  return (
    <Page title={text('received.title')} lead={text('received.lead')}>
      <QueryView
        query={query}
        isEmpty={({ pages }) => pages[0]?.total === 0}
        first={
          <EmptyState title={text('received.first.title')} command="switchyard share received">
            {text('received.first.text')}
          </EmptyState>
        }
      >
        {({ pages }) => <ReceivedTable rows={pages.flatMap(({ items }) => items)} />}
      </QueryView>
      <MoreRows query={query} />
    </Page>
  );
}

function ReceivedTable({ rows }: { rows: readonly ReceivedShare[] }) {
  const text = useText('sharing');
  const columns = useMemo(
    (): Column<ReceivedShare>[] => [
      { id: 'name', header: text('received.name'), cell: (share) => <Name share={share} /> },
      {
        id: 'kind',
        header: text('received.kind'),
        cell: ({ kind, items }) => text(`kind.${kind}`, { count: items ?? 0 }),
        width: '9rem',
      },
      {
        id: 'from',
        header: text('received.from'),
        cell: ({ from }) => <span title={from}>{from}</span>,
        width: '15rem',
      },
      { id: 'may', header: text('received.may'), cell: ({ may }) => text(`may.${may}`), width: '7rem' },
      {
        id: 'tool',
        header: text('received.tool'),
        cell: ({ tool }) => (tool === null ? blank : text(`tool.${tool}`)),
        width: '9rem',
        wideOnly: true,
      },
      {
        id: 'since',
        header: text('received.since'),
        cell: ({ sharedAt }) => <TimeAgo at={sharedAt} />,
        align: 'end',
        width: '8rem',
      },
    ],
    [text],
  );
  return (
    <DataTable
      label={text('received.title')}
      columns={columns}
      rows={rows}
      rowKey={({ kind, subjectId }) => `${kind} ${subjectId}`}
      rowHeight={52}
    />
  );
}

function Name({ share: { kind, subjectId, name, description, file } }: { share: ReceivedShare }) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      {file ? <Thumb fileId={subjectId} alt="" size={40} contentType={file.contentType} /> : null}
      <RowLink
        href={addressOf[kind](encodeURIComponent(subjectId))}
        command={commandOf(kind, subjectId)}
        className="truncate font-medium text-accent hover:underline"
        title={description || name}
      >
        {name}
      </RowLink>
    </span>
  );
}

function commandOf(kind: ShareKind, subjectId: string): string {
  if (kind === 'workflow') return `switchyard workflows show ${subjectId}`;
  return kind === 'file'
    ? `switchyard files recipe ${subjectId}`
    : 'switchyard share received --kind collection';
}
