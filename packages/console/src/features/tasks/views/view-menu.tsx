import { deleteStoreItem, putStoreItem, searchStoreItems } from '@switchyard/contract/conversation/store';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/forms/form-dialog.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { Menu } from '../../../kit/menu.tsx';
import type { MenuItem } from '../../../kit/parts/menu-item.ts';
import { QueryView } from '../../../kit/query-view.tsx';
import { TextInput } from '../../../kit/text-input.tsx';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { searchOf, type TaskListFilter } from '../list/task-filter.ts';
import { type SavedView, viewIn } from './saved-view.ts';

/** The saved views of the list: they are opened, kept under a name, and deleted here. */
export function ViewMenu({ filter }: { filter: TaskListFilter }) {
  const text = useText('tasks');
  const { data: views = [], error } = useQuery(viewsQuery);
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const search = searchOf(filter);
  const current = search === '' ? undefined : views.find((view) => view.search === search);
  const items: MenuItem[] = [
    ...views.map((view) => ({ label: view.name, href: `/tasks${view.search}` })),
    {
      label: text('view.save'),
      separated: views.length > 0,
      disabled: search === '',
      onSelect: () => setOpen('save'),
    },
    ...(views.length > 0 || error !== null
      ? [{ label: text('view.manage'), onSelect: () => setOpen('manage') }]
      : []),
  ];
  return (
    <>
      <Menu
        label={text('view.label')}
        items={items}
        trigger={
          <Button
            variant="plain"
            className="max-w-48"
            icon={<Bookmark size={16} strokeWidth={1.75} aria-hidden className="shrink-0" />}
          >
            <span className="truncate">{current?.name ?? text('view.label')}</span>
          </Button>
        }
      />
      {open === 'save' ? <SaveView search={search} views={views} onClose={() => setOpen(null)} /> : null}
      {open === 'manage' ? <ManageViews onClose={() => setOpen(null)} /> : null}
    </>
  );
}

const maxViews = 50;
const maxViewName = 60;
const viewsKey = ['task-views'];

/** The store of the account keeps them, so that they are there in every browser of the user. */
const namespace = ['console', 'task-views'];

const viewsQuery = queryOptions({
  queryKey: viewsKey,
  queryFn: async ({ signal }): Promise<SavedView[]> => {
    const body = { namespace_prefix: namespace, limit: maxViews };
    const { items } = await gateway.call(searchStoreItems, { body, signal });
    return items.flatMap(({ key, value }) => viewIn(key, value)).sort(byName);
  },
});

async function saveView({ name, search }: SavedView): Promise<void> {
  // No agent looks for a filter of the console by its meaning.
  await gateway.call(putStoreItem, { body: { namespace, key: name, value: { search }, index: false } });
}

async function deleteView(name: string): Promise<void> {
  await gateway.call(deleteStoreItem, { body: { namespace, key: name } });
}

function byName(one: SavedView, other: SavedView): number {
  return one.name.localeCompare(other.name);
}

/** Keeps the filters under a name. A name that is taken gets the new filters, and the form says so before. */
function SaveView({
  search,
  views,
  onClose,
}: {
  search: string;
  views: readonly SavedView[];
  onClose: () => void;
}) {
  const text = useText('tasks');
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const wanted = name.trim();
  const isTaken = views.some((view) => view.name === wanted);
  const isFull = !isTaken && views.length >= maxViews;
  const save = async () => {
    await saveView({ name: wanted, search });
    await queries.invalidateQueries({ queryKey: viewsKey });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      title={text('view.saveTitle')}
      submit={text(isTaken ? 'view.replace' : 'view.submit')}
      onSubmit={save}
      disabled={wanted === '' || isFull}
    >
      <Field
        label={text('view.name')}
        hint={text(isTaken ? 'view.taken' : 'view.where')}
        error={isFull ? text('view.full', { count: maxViews }) : undefined}
      >
        <TextInput
          required
          autoComplete="off"
          maxLength={maxViewName}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}

/** The saved views, each of which can be deleted and brought back. */
function ManageViews({ onClose }: { onClose: () => void }) {
  const text = useText('tasks');
  const views = useQuery(viewsQuery);
  return (
    <Dialog open onClose={onClose} title={text('view.manage')}>
      <QueryView query={views} isEmpty={(list) => list.length === 0} first={<p>{text('view.none')}</p>}>
        {(list) => (
          <ul className="flex flex-col">
            {list.map((view) => (
              <Row key={view.name} view={view} onClose={onClose} />
            ))}
          </ul>
        )}
      </QueryView>
    </Dialog>
  );
}

function Row({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const text = useText('tasks');
  const { act } = useAct();
  const { name, search } = view;
  const remove = () => {
    // The message with the way back lies behind an open dialog.
    onClose();
    void act(() => deleteView(name), {
      done: text('view.deleted', { name }),
      undo: () => saveView(view),
      refresh: [viewsKey],
    });
  };
  return (
    <li className="flex items-center justify-between gap-3 border-b border-border py-1.5 last:border-0">
      <Link href={`/tasks${search}`} onClick={onClose} className="min-w-0 truncate text-accent underline">
        {name}
      </Link>
      <Button size="s" variant="plain" aria-label={text('view.deleteOf', { name })} onClick={remove}>
        {text('view.delete')}
      </Button>
    </li>
  );
}
