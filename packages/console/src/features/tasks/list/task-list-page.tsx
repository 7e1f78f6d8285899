import { useMemo } from 'react';
import { useSearch } from 'wouter';
import { LinkButton } from '../../../kit/button.tsx';
import { Page } from '../../../kit/page.tsx';
import { useNow } from '../../../lib/format/use-now.ts';
import { useText } from '../../../lib/i18n.ts';
import { TaskPanel } from '../task/task-panel.tsx';
import { FilterBar } from './filter-bar.tsx';
import { queryOf, readFilter } from './task-filter.ts';
import { TaskList } from './task-list.tsx';
import { TaskTabs } from './task-tabs.tsx';

const minuteMs = 60_000;

/** All tasks, with the filter in the address, and one of them beside the list. */
export function TaskListPage() {
  const text = useText('tasks');
  const search = useSearch();
  const filter = useMemo(() => readFilter(search), [search]);
  const minute = Math.floor(useNow() / minuteMs);
  const query = useMemo(() => queryOf(filter, minute * minuteMs), [filter, minute]);
  return (
    <Page title={text('title')} actions={<LinkButton href="/workflows">{text('list.newTask')}</LinkButton>}>
      <TaskTabs filter={filter} query={query} />
      <FilterBar filter={filter} />
      <TaskList filter={filter} query={query} />
      <TaskPanel />
    </Page>
  );
}
