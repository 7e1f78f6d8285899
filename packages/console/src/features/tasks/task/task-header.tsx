import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { useText } from '../../../lib/i18n.ts';
import { useUsualTime } from '../../../lib/use-usual-time.ts';
import { useTaskAction } from '../task-actions.ts';
import { TaskEstimate, TaskProgress } from '../task-progress.tsx';
import { hasEnded, ranMs, waitedMs } from '../task-state.ts';
import { TaskStatusWord } from '../task-words.tsx';
import { AgainMenu } from './again-menu.tsx';
import { CopyAsMenu } from './copy-as-menu.tsx';

/** The state, how far it is, the times, and what can be done. */
export function TaskHeader({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <TaskStatusWord task={task} tinted />
        <Times task={task} />
      </div>
      {task.status === 'running' ? (
        <div className="flex flex-col gap-1">
          <TaskProgress task={task} />
          <p className="flex flex-wrap justify-between gap-x-3 text-table text-text-2">
            <span>
              {task.node ?? text(`phase.${task.phase}`)} <UsualTime task={task} />
            </span>
            <TaskEstimate task={task} />
          </p>
        </div>
      ) : null}
      <Actions task={task} />
    </div>
  );
}

/** How long the running node usually takes. */
function UsualTime({ task: { id, node } }: { task: TaskDetail }) {
  const text = useText('tasks');
  const usual = useUsualTime(id, node);
  return usual === null ? null : (
    <span className="text-text-3">{text('nodes.usually', { time: usual })}</span>
  );
}

/** The time in the queue stands apart from the time of the work. */
function Times({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const format = useFormat();
  const now = useNow();
  const instances = useQuery(instancesQuery());
  const ran = ranMs(task, now);
  const { instanceId } = task;
  return (
    <p className="flex flex-wrap gap-x-3 text-table text-text-2">
      <span>{text('detail.waited', { time: format.duration(waitedMs(task, now)) })}</span>
      {ran === null ? null : <span>{text('detail.ran', { time: format.duration(ran) })}</span>}
      {instanceId === null ? null : (
        <Link href={`/instances/${encodeURIComponent(instanceId)}`} className="text-accent hover:underline">
          {instances.data?.find(({ id }) => id === instanceId)?.serverName ?? instanceId}
        </Link>
      )}
      <TimeAgo at={task.createdAt} />
    </p>
  );
}

function Actions({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const { actOn, isBusy } = useTaskAction();
  const taskId = task.id;
  const retryHint = useCommandHint(`switchyard tasks retry ${taskId}`);
  const cancelHint = useCommandHint(`switchyard tasks cancel ${taskId}`);
  const frontHint = useCommandHint(`switchyard tasks front ${taskId}`);
  return (
    <div className="flex flex-wrap gap-2">
      {hasEnded(task) ? (
        <Button {...retryHint} disabled={isBusy} onClick={() => actOn(taskId, 'retry')}>
          {text('action.retry')}
        </Button>
      ) : (
        <Button
          {...cancelHint}
          variant="danger"
          disabled={isBusy || task.cancelRequested}
          onClick={() => actOn(taskId, 'cancel')}
        >
          {task.cancelRequested ? text('state.stopping') : text('action.cancel')}
        </Button>
      )}
      {task.status === 'pending' ? (
        <Button {...frontHint} disabled={isBusy} onClick={() => actOn(taskId, 'front')}>
          {text('action.front')}
        </Button>
      ) : null}
      <AgainMenu task={task} />
      <CopyAsMenu task={task} />
    </div>
  );
}
