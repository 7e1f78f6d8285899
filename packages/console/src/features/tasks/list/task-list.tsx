import type { Task } from '@switchyard/contract/dispatch/task';
import type { TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { LinkButton } from '../../../kit/button.tsx';
import { DataTable } from '../../../kit/data-table.tsx';
import { FilterEmpty } from '../../../kit/forms/filter-empty.tsx';
import { NewRows } from '../../../kit/new-rows.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { MoreRows } from '../../../kit/rows/more-rows.tsx';
import { useHeldRows } from '../../../kit/rows/use-held-rows.ts';
import { useReading } from '../../../kit/rows/use-reading.ts';
import { focusedRow } from '../../../kit/rows/use-row-keys.ts';
import { EmptyState } from '../../../kit/states/empty-state.tsx';
import { useShortcuts } from '../../../kit/use-shortcuts.ts';
import { useQueryState } from '../../../lib/address.ts';
import { newTasksQuery, taskPagesQuery } from '../../../lib/data/tasks.ts';
import { useText } from '../../../lib/i18n.ts';
import { useTaskName } from '../task-words.tsx';
import { BatchBar } from './batch-bar.tsx';
import { clearFilter } from './filter-bar.tsx';
import { choose, chooseEverything, chooseRows, nothingChosen, withoutGone } from './selection.ts';
import { useTaskColumns } from './task-columns.tsx';
import { fits, hasStatus, isNarrowed, type TaskListFilter } from './task-filter.ts';

/** The rows of the filter. They never move under the pointer. */
export function TaskList({
  filter,
  query,
}: {
  filter: TaskListFilter;
  query: Omit<TaskListQuery, 'limit' | 'offset'>;
}) {
  const text = useText('tasks');
  const nameOf = useTaskName();
  const reading = useReading();
  const [opened, open] = useQueryState('open');
  const [wanted, setWanted] = useState(nothingChosen);
  const { shown, waiting, show, pages } = useTaskRows({
    filter,
    query,
    held: reading.held || wanted.chosen.size > 0,
  });
  const rowKeys = useMemo(() => shown.map(taskKey), [shown]);
  const selection = withoutGone(wanted, rowKeys);
  const byId = useMemo(() => new Map(shown.map((task) => [task.id, task])), [shown]);
  const turnPanel = (taskId: string | null) => open(taskId, { push: true });
  useShortcuts({ ']': () => turnPanel(opened === null ? (focusedRow() ?? rowKeys[0] ?? null) : null) });
  const columns = useTaskColumns({ onOpen: turnPanel });
  const total = pages.data?.pages.at(-1)?.total ?? 0;
  return (
    <QueryView
      query={{ ...pages, data: pages.data === undefined ? undefined : shown }}
      isEmpty={(rows) => rows.length === 0 && waiting === 0}
      first={<FirstUse filter={filter} />}
      filtered={
        isNarrowed(filter) ? <FilterEmpty title={text('empty.filtered')} onClear={clearFilter} /> : undefined
      }
    >
      {(rows) => (
        <div ref={reading.area} className="flex min-w-0 flex-col">
          <NewRows count={waiting} onShow={show} />
          <DataTable
            label={text('title')}
            columns={columns}
            rows={rows}
            rowKey={taskKey}
            current={opened ?? undefined}
            selection={{
              chosen: selection.chosen,
              onChoose: (key, isChosen) => setWanted(choose(selection, key, isChosen)),
              onChooseAll: (isChosen) => setWanted(chooseRows(rowKeys, isChosen)),
              nameOf: (id) => nameOf(byId.get(id) ?? { id, name: id }),
            }}
          />
          <MoreRows query={pages} isEarly />
          <BatchBar
            selection={selection}
            filter={filter}
            query={query}
            total={total}
            onAll={() => setWanted(chooseEverything(selection))}
            onDone={() => setWanted(nothingChosen)}
          />
        </div>
      )}
    </QueryView>
  );
}

const openListMs = 10_000;

/** The rows of the list: the pages that are loaded, and the tasks that have appeared since. */
function useTaskRows({
  filter,
  query,
  held,
}: {
  filter: TaskListFilter;
  query: Omit<TaskListQuery, 'limit' | 'offset'>;
  /** While somebody points at the list or has scrolled into it, new tasks wait. */
  held: boolean;
}) {
  const moves = filter.status === 'pending' || filter.status === 'running';
  const pages = useInfiniteQuery({
    ...taskPagesQuery(query),
    placeholderData: keepPreviousData,
    // Tasks enter and leave these statuses; the held rows keep the list still meanwhile.
    ...(moves && { refetchInterval: openListMs }),
  });
  const added = useQuery(newTasksQuery());
  const rows = useMemo(
    () => join(pages.data?.pages.flatMap(({ items }) => items) ?? [], added.data ?? [], filter),
    [pages.data, added.data, filter],
  );
  const visible = useMemo(
    () => (held || filter.status === null ? rows : rows.filter((task) => hasStatus(task, filter.status))),
    [rows, held, filter.status],
  );
  const list = useHeldRows(visible, { keyOf: taskKey, of: JSON.stringify(filter), held });
  return { ...list, pages };
}

function taskKey({ id }: Pick<Task, 'id'>): string {
  return id;
}

/** The newest first; a task that stands in a page as well is taken from there. */
function join(loaded: readonly Task[], added: readonly Task[], filter: TaskListFilter): Task[] {
  const byId = new Map<string, Task>();
  for (const task of added) if (fits(task, filter)) byId.set(task.id, task);
  for (const task of loaded) byId.set(task.id, task);
  return [...byId.values()].sort((left, right) => (left.id < right.id ? 1 : -1));
}

function FirstUse({ filter }: { filter: TaskListFilter }) {
  const text = useText('tasks');
  if (filter.status !== null) return <EmptyState title={text(`empty.${filter.status}`)} />;
  return (
    <EmptyState
      title={text('empty.first')}
      action={
        <LinkButton variant="solid" href="/workflows">
          {text('list.newTask')}
        </LinkButton>
      }
      command="switchyard run workflow.json --wait"
    >
      {text('empty.firstHow')}
    </EmptyState>
  );
}
