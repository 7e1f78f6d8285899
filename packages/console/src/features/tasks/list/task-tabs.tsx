import { type TaskStatusFilter, taskStatusFilters } from '@switchyard/contract/dispatch/task';
import { countTasks, type TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import { TabLinks } from '../../../kit/tab-links.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { changeQuery } from '../../../lib/query-string.ts';
import type { TaskListFilter } from './task-filter.ts';

/** The statuses as tabs, each with how many tasks of the filter it has. All counts come from one answer. */
export function TaskTabs({
  filter,
  query,
}: {
  filter: TaskListFilter;
  query: Omit<TaskListQuery, 'limit' | 'offset'>;
}) {
  const text = useText('tasks');
  const format = useFormat();
  const search = useSearch();
  const { status: _, order: __, ...narrowed } = query;
  const { data } = useQuery({
    // Below the overview, so that live frames that change its counts refresh these as well.
    queryKey: [...keys.overview, 'tasks', narrowed],
    queryFn: ({ signal }) => gateway.call(countTasks, { query: narrowed, signal }),
    placeholderData: keepPreviousData,
  });
  const shown = (count: number | undefined, isMinimum = false) => {
    if (count === undefined) return undefined;
    return isMinimum ? text('list.atLeast', { count }) : format.count(count);
  };
  const counted = (status: TaskStatusFilter) => {
    if (data === undefined) return undefined;
    if (status === 'cancelled') return shown(data.cancelled, data.cancelledIsMinimum);
    return shown(data[status], data.countIsMinimum && data[status] >= data.maxCount);
  };
  const all = data && data.pending + data.running + data.completed + data.failed;
  const tabs = [
    {
      label: text('tab.all'),
      status: null,
      count: shown(all, data?.countIsMinimum && all !== undefined && all >= data.maxCount),
    },
    ...taskStatusFilters.map((status) => ({
      label: text(`tab.${status}`),
      status,
      count: counted(status),
    })),
  ];
  return (
    <TabLinks
      label={text('tab.label')}
      tabs={tabs.map(({ label, status, count }) => ({
        label,
        count,
        href: `/tasks${changeQuery(search, { status, open: null })}`,
        current: filter.status === status,
      }))}
    />
  );
}
