import { useQuery } from '@tanstack/react-query';
import { LinkButton } from '../../../kit/button.tsx';
import { QueryView } from '../../../kit/query-view.tsx';
import { SidePanel } from '../../../kit/side-panel.tsx';
import { useQueryState } from '../../../lib/address.ts';
import { taskQuery } from '../../../lib/data/tasks.ts';
import { useText } from '../../../lib/i18n.ts';
import { useTaskName } from '../task-words.tsx';
import { TaskBody } from './task-body.tsx';

/** The task that the address opens beside the list. */
export function TaskPanel() {
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
