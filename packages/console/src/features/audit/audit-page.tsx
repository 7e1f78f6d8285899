import { type AuditRecord, listAudit } from '@switchyard/contract/accounts/audit';
import { shellWord } from '@switchyard/contract/shell-word';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Button } from '../../kit/button.tsx';
import { useCommandHint } from '../../kit/command-hint.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { FilterEmpty } from '../../kit/forms/filter-empty.tsx';
import { SearchInput } from '../../kit/forms/search-input.tsx';
import { Page } from '../../kit/page.tsx';
import { focusRing } from '../../kit/parts/classes.ts';
import { QueryView } from '../../kit/query-view.tsx';
import { MoreRows } from '../../kit/rows/more-rows.tsx';
import { opensRow } from '../../kit/rows/row-marks.ts';
import { SidePanel } from '../../kit/side-panel.tsx';
import { EmptyState } from '../../kit/states/empty-state.tsx';
import type { Column } from '../../kit/table/column.ts';
import { TextInput } from '../../kit/text-input.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { setQuery, useQueryState } from '../../lib/address.ts';
import { useOwnerNames } from '../../lib/data/owner-names.ts';
import { blank } from '../../lib/format/format.ts';
import { useFormat } from '../../lib/format/use-format.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';
import { type AuditFilters, auditQueryOf, hasFilter, targetName } from './audit-query.ts';

function auditQuery(filters: AuditFilters) {
  return infiniteQueryOptions({
    queryKey: ['audit', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      gateway.call(listAudit, { query: { ...auditQueryOf(filters), limit: 100, cursor }, signal }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** The record of who changed what. */
export function AuditPage() {
  const text = useText('audit');
  const [chosen] = useQueryState('record');
  const filters = useFilters();
  const audit = useInfiniteQuery(auditQuery(filters));
  const records = audit.data?.pages.flatMap(({ items }) => items) ?? [];
  const clear = () => setQuery({ actor: null, action: null, target: null, from: null, to: null });
  return (
    <Page title={text('title')} lead={text('lead')}>
      <AuditFilter filters={filters} onClear={clear} />
      <QueryView
        query={audit}
        isEmpty={({ pages }) => pages[0]?.items.length === 0}
        first={<EmptyState title={text('first')} command="switchyard audit --from 7d" />}
        filtered={hasFilter(filters) ? <FilterEmpty title={text('none')} onClear={clear} /> : undefined}
      >
        {() => <AuditTable records={records} current={chosen ?? undefined} />}
      </QueryView>
      <MoreRows query={audit} />
      <AuditDetails record={records.find(({ id }) => id === chosen)} />
    </Page>
  );
}

function useFilters(): AuditFilters {
  const [actor] = useQueryState('actor');
  const [action] = useQueryState('action');
  const [target] = useQueryState('target');
  const [from] = useQueryState('from');
  const [to] = useQueryState('to');
  return { actor, action, target, from, to };
}

function AuditTable({ records, current }: { records: readonly AuditRecord[]; current: string | undefined }) {
  const text = useText('audit');
  const userName = useOwnerNames({ isWanted: true });
  const columns: Column<AuditRecord>[] = [
    {
      id: 'action',
      header: text('column.action'),
      width: '16rem',
      cell: (record) => <OpenRecord record={record} />,
    },
    {
      id: 'actor',
      header: text('column.actor'),
      cell: ({ actor, actorName }) => (
        <Narrow
          label={actorName}
          onNarrow={() => setQuery({ actor })}
          title={text('only', { what: actorName })}
        />
      ),
    },
    {
      id: 'target',
      header: text('column.target'),
      cell: ({ target, details }) =>
        target ? (
          <Narrow
            label={targetName(target, details, userName)}
            onNarrow={() => setQuery({ target })}
            title={text('only', { what: target })}
          />
        ) : (
          blank
        ),
    },
    {
      id: 'via',
      header: text('column.via'),
      width: '9rem',
      wideOnly: true,
      cell: ({ via }) => text(`via.${via}`),
    },
    { id: 'at', header: text('column.at'), width: '8rem', cell: ({ at }) => <TimeAgo at={at} /> },
  ];
  return (
    <DataTable
      label={text('title')}
      columns={columns}
      rows={records}
      rowKey={({ id }) => id}
      current={current}
    />
  );
}

/** Everything that is known of one change. */
function AuditDetails({ record }: { record: AuditRecord | undefined }) {
  const text = useText('audit');
  const format = useFormat();
  const rows: [string, string][] = record
    ? [
        [text('column.at'), format.dateTime(new Date(record.at))],
        [text('column.actor'), `${record.actorName} (${record.actor})`],
        [text('column.via'), text(`via.${record.via}`)],
        [text('column.target'), record.target ?? blank],
        [text('column.request'), record.requestId ?? blank],
      ]
    : [];
  return (
    <SidePanel
      open={record !== undefined}
      onClose={() => setQuery({ record: null })}
      title={<span className="font-mono">{record?.action}</span>}
    >
      <dl className="flex flex-col gap-2 text-body">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt className="text-table text-text-2">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
      <h3 className="pt-4 pb-1 text-table text-text-2">{text('details')}</h3>
      <pre className="rounded-control border border-border bg-sunken p-3 font-mono text-table break-all whitespace-pre-wrap">
        {JSON.stringify(record?.details ?? {}, null, 2)}
      </pre>
    </SidePanel>
  );
}

function OpenRecord({ record: { id, action, target } }: { record: AuditRecord }) {
  const ofTarget = target ? ` --target ${shellWord(target)}` : '';
  const hint = useCommandHint(`switchyard audit --action ${action}${ofTarget}`);
  return (
    <button
      {...hint}
      {...opensRow}
      type="button"
      className={`${focusRing} cursor-pointer truncate rounded-control font-mono text-accent underline`}
      onClick={() => setQuery({ record: id })}
    >
      {action}
    </button>
  );
}

/** A value that narrows the list to itself. */
function Narrow({ label, title, onNarrow }: { label: string; title: string; onNarrow: () => void }) {
  return (
    <button
      type="button"
      title={title}
      className="max-w-full cursor-pointer truncate rounded-control hover:underline"
      onClick={onNarrow}
    >
      {label}
    </button>
  );
}

/** Filters of the list; they stand in the address. */
function AuditFilter({ filters, onClear }: { filters: AuditFilters; onClear: () => void }) {
  const text = useText('audit');
  const { actor, action, target, from, to } = filters;
  const userName = useOwnerNames({ isWanted: actor !== null || target !== null });
  const hint = useCommandHint('switchyard audit --from 7d');
  const setAction = useCallback((value: string) => setQuery({ action: value }), []);
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SearchInput label={text('filter.action')} value={action ?? ''} onChange={setAction} />
      {(['from', 'to'] as const).map((name) => (
        <label key={name} htmlFor={`audit-${name}`} className="flex items-center gap-2 text-table">
          {text(`filter.${name}`)}
          <TextInput
            id={`audit-${name}`}
            type="date"
            value={{ from, to }[name] ?? ''}
            onChange={(event) => setQuery({ [name]: event.target.value })}
            className="w-40"
          />
        </label>
      ))}
      {actor !== null && (
        <span className="self-center text-table">{text('filter.actor', { actor: userName(actor) })}</span>
      )}
      {target !== null && (
        <span className="self-center text-table break-all">
          {text('filter.target', { target: targetName(target, {}, userName) })}
        </span>
      )}
      {hasFilter(filters) && (
        <Button {...hint} variant="plain" onClick={onClear}>
          {text('filter.clear')}
        </Button>
      )}
    </div>
  );
}
