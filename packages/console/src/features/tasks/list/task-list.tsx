import type { TaskListQuery } from '@switchyard/contract/dispatch/tasks';
import { useMemo, useState } from 'react';
import { LinkButton } from '../../../kit/button.tsx';
import { DataTable } from '../../../kit/data-table.tsx';
import { FilterEmpty } from '../../../kit/forms/filter-empty.tsx';
import { NewRows } from '../../../kit/new-rows.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { MoreRows } from '../../../kit/rows/more-rows.tsx';
import { useReading } from '../../../kit/rows/use-reading.ts';
import { focusedRow } from '../../../kit/rows/use-row-keys.ts';
import { EmptyState } from '../../../kit/states/empty-state.tsx';
import { useShortcuts } from '../../../kit/use-shortcuts.ts';
import { useQueryState } from '../../../lib/address.ts';
import { useText } from '../../../lib/i18n.ts';
import { useTaskName } from '../task-words.tsx';
import { BatchBar } from './batch-bar.tsx';
import { clearFilter } from './filter-bar.tsx';
import { choose, chooseEverything, chooseRows, nothingChosen, withoutGone } from './selection.ts';
import { useTaskColumns } from './task-columns.tsx';
import { isNarrowed, type TaskListFilter } from './task-filter.ts';
import { taskKey, useTaskRows } from './use-task-rows.ts';

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
