import { useQueries, useQuery } from '@tanstack/react-query';
import { Check, Minus } from 'lucide-react';
import { useMemo } from 'react';
import { Button } from '../../../kit/button.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { EmptyState } from '../../../kit/states/empty-state.tsx';
import { Switch } from '../../../kit/switch.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { useQueryState } from '../../../lib/address.ts';
import { instanceQuery, instancesQuery } from '../../../lib/data/instances.ts';
import { useText } from '../../../lib/i18n.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { capabilityMatrix, type MatrixRow, matrixCsv } from './matrix.ts';

const maxRows = 500;

/** Which instance has which nodes and models; by default only what differs. */
export function Differences() {
  const text = useText('instances');
  const [shownAll, setShownAll] = useQueryState('all');
  const [q, setQ] = useQueryState('q');
  const instances = useQuery(instancesQuery());
  const details = useQueries({ queries: (instances.data ?? []).map(({ id }) => instanceQuery(id)) });
  const loaded = details.flatMap(({ data }) => (data ? [data] : []));
  const isPending = instances.isPending || details.some((each) => each.isPending);
  const onlyDifferences = shownAll === null;
  const rows = useMemo(() => capabilityMatrix(loaded, onlyDifferences), [loaded, onlyDifferences]);
  const found = q ? rows.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())) : rows;
  const names = loaded.map(({ serverName }) => serverName);
  const view = {
    data: isPending ? undefined : found,
    error: instances.error ?? details.find(({ error }) => error)?.error ?? null,
    isPending,
    isFetching: details.some(({ isFetching }) => isFetching),
    refetch: () => Promise.all([instances.refetch(), ...details.map(({ refetch }) => refetch())]),
  };
  const first = loaded.length < 2 ? text('differences.one') : text('differences.none');
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-56">
          <TextInput
            type="search"
            aria-label={text('differences.search')}
            placeholder={text('differences.search')}
            value={q ?? ''}
            onChange={(event) => setQ(event.target.value || null)}
          />
        </div>
        <Switch
          label={text('differences.only')}
          checked={onlyDifferences}
          onChange={(only) => setShownAll(only ? null : 'yes')}
        />
        <Button onClick={() => saveFile('differences.csv', matrixCsv(found, names))}>
          {text('differences.csv')}
        </Button>
      </div>
      <QueryView
        query={view}
        isEmpty={(list) => list.length === 0}
        first={<EmptyState title={first} />}
        filtered={q ? <EmptyState title={text('differences.notFound', { q })} /> : undefined}
      >
        {(list) => <Matrix rows={list} names={names} />}
      </QueryView>
    </div>
  );
}

function Matrix({ rows, names }: { rows: readonly MatrixRow[]; names: readonly string[] }) {
  const text = useText('instances');
  return (
    <section aria-label={text('view.differences')} className="max-w-full overflow-x-auto">
      <table className="text-table">
        <caption className="sr-only">{text('view.differences')}</caption>
        <thead>
          <tr className="border-b border-border text-left text-text-2">
            <th scope="col" className="sticky left-0 min-w-56 bg-bg py-2 pr-4 font-medium">
              {text('differences.what')}
            </th>
            {names.map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two servers may have one name, and their order is fixed
              <th key={`${name}-${index}`} scope="col" className="max-w-32 truncate px-3 py-2 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map(({ kind, name, place, has }) => (
            <tr key={`${kind} ${place} ${name}`} className="border-b border-border">
              <th scope="row" className="sticky left-0 max-w-80 bg-bg py-1.5 pr-4 text-left font-normal">
                <span className="block truncate font-medium">{name}</span>
                <span className="block truncate text-meta text-text-2">
                  {kind === 'node' ? text('differences.node') : text('differences.model', { place })}
                </span>
              </th>
              {has.map((mark, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the cells follow the columns
                <td key={index} className="px-3">
                  <Mark has={mark} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > maxRows ? (
        <p className="py-2 text-table text-text-2">
          {text('differences.more', { count: rows.length - maxRows })}
        </p>
      ) : null}
    </section>
  );
}

function Mark({ has }: { has: boolean | null }) {
  const text = useText('instances');
  if (has === null) return <span className="text-text-2">{text('differences.unknown')}</span>;
  const Icon = has ? Check : Minus;
  return (
    <span className={`inline-flex items-center gap-1 ${has ? 'text-done' : 'text-failed'}`}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      {text(has ? 'differences.has' : 'differences.lacks')}
    </span>
  );
}
