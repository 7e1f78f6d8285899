import { useQuery } from '@tanstack/react-query';
import { Bookmark } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Menu } from '../../../kit/menu.tsx';
import type { MenuItem } from '../../../kit/parts/menu-item.ts';
import { useText } from '../../../lib/i18n.ts';
import { searchOf, type TaskListFilter } from '../list/task-filter.ts';
import { ManageViews } from './manage-views.tsx';
import { SaveView } from './save-view.tsx';
import { viewsQuery } from './saved-views.ts';

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
