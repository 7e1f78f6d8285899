import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Page } from '../../../kit/page.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { taskQuery } from '../../../lib/data/tasks.ts';
import { useText } from '../../../lib/i18n.ts';
import { useTaskName } from '../task-words.tsx';
import { TaskBody } from './task-body.tsx';

/** Everything about one task. */
export function TaskPage({ taskId }: { taskId: string }) {
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
