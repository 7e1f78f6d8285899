import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useParams, useSearch } from 'wouter';
import { LinkButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { QueryView } from '../../kit/query-view.tsx';
import { SidePanel } from '../../kit/side-panel.tsx';
import { useQueryState } from '../../lib/address.ts';
import { taskQuery } from '../../lib/data/tasks.ts';
import { useNow } from '../../lib/format/use-now.ts';
import { useText } from '../../lib/i18n.ts';
import { FilterBar } from './list/filter-bar.tsx';
import { queryOf, readFilter } from './list/task-filter.ts';
import { TaskList } from './list/task-list.tsx';
import { TaskTabs } from './list/task-tabs.tsx';
import { TaskBody } from './task/task-body.tsx';
import { useTaskName } from './task-words.tsx';

/** `/tasks` and `/tasks/:taskId`. */
export function TasksPage() {
  const { taskId } = useParams<{ taskId?: string }>();
  return taskId === undefined ? <TaskListPage /> : <TaskPage key={taskId} taskId={taskId} />;
}

const minuteMs = 60_000;

/** All tasks, with the filter in the address, and one of them beside the list. */
function TaskListPage() {
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

/** Everything about one task. */
function TaskPage({ taskId }: { taskId: string }) {
  const text = useText('tasks');
  const nameOf = useTaskName();
  const task = useQuery(taskQuery(taskId));
  return (
    <Page
      title={task.data ? nameOf(task.data) : text('detail.title')}
      lead={
        <Link href="/tasks" className="text-accent hover:underline">
          {text('detail.back')}
        </Link>
      }
    >
      <QueryView query={task}>{(data) => <TaskBody task={data} wide />}</QueryView>
    </Page>
  );
}

/** The task that the address opens beside the list. */
function TaskPanel() {
  const [taskId, open] = useQueryState('open');
  return taskId === null ? null : <Panel key={taskId} taskId={taskId} onClose={() => open(null)} />;
}

function Panel({ taskId, onClose }: { taskId: string; onClose: () => void }) {
  const text = useText('tasks');
  const nameOf = useTaskName();
  const task = useQuery(taskQuery(taskId));
  return (
    <SidePanel
      open
      onClose={onClose}
      title={task.data ? nameOf(task.data) : text('detail.loading')}
      actions={
        <LinkButton size="s" variant="plain" href={`/tasks/${taskId}`}>
          {text('action.openPage')}
        </LinkButton>
      }
    >
      <QueryView query={task}>{(data) => <TaskBody task={data} />}</QueryView>
    </SidePanel>
  );
}
