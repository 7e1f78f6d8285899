import { useQuery } from '@tanstack/react-query';
import { Download, X } from 'lucide-react';
import { Button } from '../../kit/button.tsx';
import { Select } from '../../kit/select.tsx';
import { TextInput } from '../../kit/text-input.tsx';
import { setQuery } from '../../lib/address.ts';
import { accountsQuery } from '../../lib/data/owner-names.ts';
import { workflowsQuery } from '../../lib/data/workflows.ts';
import { useText } from '../../lib/i18n.ts';
import { useSession } from '../../lib/session.ts';
import { type GalleryFilter, queryOf } from './gallery-filter.ts';

const kinds = ['image', 'video', 'audio', 'text', 'other', 'all'] as const;
const sources = ['output', 'upload', 'all'] as const;
const maxZipped = 5_000;

/** The filters of the gallery. They stand in the address, so that a view can be sent to a colleague. */
export function GalleryFilters({ filter, total }: { filter: GalleryFilter; total: number | undefined }) {
  const text = useText('gallery');
  const { isAdmin } = useSession();
  return (
    <search className="flex flex-wrap items-end gap-2" aria-label={text('filter.label')}>
      <Select
        label={text('filter.kind')}
        value={filter.kind}
        options={kinds.map((value) => ({ value, label: text(`kind.${value}`) }))}
        onChange={(kind) => setQuery({ kind: kind === 'image' ? null : kind })}
      />
      <Select
        label={text('filter.source')}
        value={filter.source}
        options={sources.map((value) => ({ value, label: text(`source.${value}`) }))}
        onChange={(source) => setQuery({ source: source === 'output' ? null : source })}
      />
      <WorkflowFilter value={filter.workflow} />
      {isAdmin ? <OwnerFilter value={filter.owner} /> : null}
      <Day name="from" value={filter.from} />
      <Day name="to" value={filter.to} />
      {filter.task === null ? null : (
        <Button
          size="m"
          icon={<X size={16} strokeWidth={1.75} aria-hidden />}
          onClick={() => setQuery({ task: null })}
        >
          {text('filter.task', { id: filter.task.slice(-6) })}
        </Button>
      )}
      <AllAsZip filter={filter} total={total} />
    </search>
  );
}

const any = 'any';

function WorkflowFilter({ value }: { value: string | null }) {
  const text = useText('gallery');
  const { data } = useQuery(workflowsQuery());
  const items = data?.items ?? [];
  if (items.length === 0 && value === null) return null;
  return (
    <Select
      label={text('filter.workflow')}
      value={value ?? any}
      options={[
        { value: any, label: text('filter.anyWorkflow') },
        ...items.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(next) => setQuery({ workflow: next === any ? null : next })}
      className="max-w-[14rem]"
    />
  );
}

function OwnerFilter({ value }: { value: string | null }) {
  const text = useText('gallery');
  const { data } = useQuery(accountsQuery);
  const items = data?.items ?? [];
  if (items.length < 2 && value === null) return null;
  return (
    <Select
      label={text('filter.owner')}
      value={value ?? any}
      options={[
        { value: any, label: text('filter.anyOwner') },
        ...items.map(({ id, email }) => ({ value: id, label: email })),
      ]}
      onChange={(next) => setQuery({ owner: next === any ? null : next })}
      className="max-w-[14rem]"
    />
  );
}

function Day({ name, value }: { name: 'from' | 'to'; value: string | null }) {
  const text = useText('gallery');
  return (
    <div className="flex items-center gap-1.5 text-table text-text-2">
      <span aria-hidden>{text(`filter.${name}`)}</span>
      <TextInput
        aria-label={text(`filter.${name}`)}
        type="date"
        value={value ?? ''}
        onChange={(event) => setQuery({ [name]: event.target.value === '' ? null : event.target.value })}
        className="w-[9.5rem]!"
      />
    </div>
  );
}

/** The browser saves it while it is made, whatever its size. */
function AllAsZip({ filter, total }: { filter: GalleryFilter; total: number | undefined }) {
  const text = useText('gallery');
  if (total === undefined || total === 0 || total > maxZipped) return null;
  const query = new URLSearchParams(
    Object.entries(queryOf(filter)).map(([key, value]) => [key, String(value)]),
  );
  return (
    <a
      href={`/api/files/zip?${query}`}
      download
      className="inline-flex h-8 items-center gap-2 rounded-control px-3 text-body font-medium outline-accent hover:bg-sunken focus-visible:outline-2 sm:ml-auto pointer-coarse:h-11"
    >
      <Download size={16} strokeWidth={1.75} aria-hidden />
      {text('filter.zip', { count: total })}
    </a>
  );
}
