import { useQuery } from '@tanstack/react-query';
import { Columns3, X } from 'lucide-react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { SearchInput } from '../../../kit/forms/search-input.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { Select } from '../../../kit/select.tsx';
import { setQuery } from '../../../lib/address.ts';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { useOwnerNames } from '../../../lib/data/owner-names.ts';
import { useText } from '../../../lib/i18n.ts';
import { useSession } from '../../../lib/session.ts';
import { ViewMenu } from '../views/view-menu.tsx';
import { optionalColumns, useShownColumns } from './shown-columns.ts';
import { isNarrowed, periods, type TaskListFilter } from './task-filter.ts';

/** The filters of the list. The address has all of them. */
export function FilterBar({ filter }: { filter: TaskListFilter }) {
  const text = useText('tasks');
  const instances = useQuery(instancesQuery());
  const ownerName = useOwnerNames({ isWanted: filter.owner !== '' });
  const names = new Map(instances.data?.map(({ id, serverName }) => [id, serverName]));
  if (filter.instance && !names.has(filter.instance)) names.set(filter.instance, filter.instance);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchInput
        label={text('filter.search')}
        value={filter.q}
        onChange={search}
        className="flex-1 basis-56"
      />
      <Select
        label={text('filter.instance')}
        value={filter.instance}
        options={[
          { value: '', label: text('filter.anyInstance') },
          ...[...names].map(([value, label]) => ({ value, label })),
        ]}
        onChange={(instance) => setQuery({ instance: instance || null })}
        className="max-w-48"
      />
      <Select
        label={text('filter.period')}
        value={filter.period ?? ''}
        options={[
          { value: '', label: text('filter.anyTime') },
          ...Object.keys(periods).map((value) => ({ value, label: text(`period.${value}`) })),
        ]}
        onChange={(period) => setQuery({ period: period || null })}
      />
      {filter.tag ? <Chip label={text('filter.tag', { tag: filter.tag })} name="tag" /> : null}
      {filter.owner ? (
        <Chip label={text('filter.owner', { owner: ownerName(filter.owner) })} name="owner" />
      ) : null}
      {isNarrowed(filter) ? (
        <Button variant="plain" onClick={clearFilter}>
          {text('filter.clear')}
        </Button>
      ) : null}
      <span className="ml-auto flex items-center gap-1">
        <ViewMenu filter={filter} />
        <ColumnMenu />
      </span>
    </div>
  );
}

/** Shows and hides columns. Only administrators see tasks of several users. */
function ColumnMenu() {
  const text = useText('tasks');
  const { isAdmin } = useSession();
  const { shown, show } = useShownColumns();
  const offered = optionalColumns.filter((name) => name !== 'owner' || isAdmin);
  const label = text('column.choose');
  return (
    <Menu
      label={label}
      trigger={<IconButton label={label} icon={<Columns3 size={16} strokeWidth={1.75} aria-hidden />} />}
      items={offered.map((name) => ({
        label: text(`column.${name}`),
        checked: shown.has(name),
        onSelect: () => show(name, !shown.has(name)),
      }))}
    />
  );
}

function search(q: string): void {
  setQuery({ q });
}

/** Keeps the tab and takes everything else away. */
export function clearFilter(): void {
  setQuery({ q: null, instance: null, tag: null, owner: null, period: null });
}

function Chip({ label, name }: { label: string; name: string }) {
  const text = useText('tasks');
  return (
    <Button
      size="s"
      className="max-w-56"
      onClick={() => setQuery({ [name]: null })}
      aria-label={text('filter.remove', { label })}
    >
      <span className="truncate">{label}</span>
      <X size={16} strokeWidth={1.75} aria-hidden />
    </Button>
  );
}
