import { useParams } from 'wouter';
import { TaskListPage } from './list/task-list-page.tsx';
import { TaskPage } from './task/task-page.tsx';

/** `/tasks` and `/tasks/:taskId`. */
export function TasksPage() {
  const { taskId } = useParams<{ taskId?: string }>();
  return taskId === undefined ? <TaskListPage /> : <TaskPage key={taskId} taskId={taskId} />;
}
