import { makeFileAgain } from '@switchyard/contract/dispatch/recipe';
import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { Button } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { useCopy } from '../../../kit/copy/use-copy.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { Menu } from '../../../kit/menu.tsx';
import { TimeAgo } from '../../../kit/time-ago.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { hasEnded, ranMs, waitedMs } from '../../../lib/task-state.ts';
import { useUsualTime } from '../../../lib/use-usual-time.ts';
import { useTaskAction } from '../task-actions.ts';
import { TaskEstimate, TaskProgress } from '../task-progress.tsx';
import { TaskStatusWord } from '../task-words.tsx';
import { asClient, asCommand, asCurl } from './copy-as.ts';

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

/** Shows how long the running node usually takes. */
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
        <Button {...retryHint} isBusy={isBusy} onClick={() => actOn(taskId, 'retry')}>
          {text('action.retry')}
        </Button>
      ) : (
        <Button
          {...cancelHint}
          variant="danger"
          isBusy={isBusy || task.cancelRequested}
          onClick={() => actOn(taskId, 'cancel')}
        >
          {task.cancelRequested ? text('state.stopping') : text('action.cancel')}
        </Button>
      )}
      {task.status === 'pending' ? (
        <Button {...frontHint} isBusy={isBusy} onClick={() => actOn(taskId, 'front')}>
          {text('action.front')}
        </Button>
      ) : null}
      <AgainMenu task={task} />
      <CopyAsMenu task={task} />
    </div>
  );
}

/** Runs the task once more with its settings, as they were or with another seed. */
function AgainMenu({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const { act, isBusy } = useAct();
  const fileId = task.result?.outputs[0]?.fileId;
  if (fileId === undefined) return null;
  const again = (seed: 'same' | 'random') =>
    void act(() => gateway.call(makeFileAgain, { params: { fileId }, body: { seed } }), {
      done: ({ id }) => ({
        text: text('did.retry'),
        action: { label: text('action.openCopy'), run: () => navigate(`/tasks/${id}`) },
      }),
    });
  return (
    <Menu
      label={text('again.label')}
      trigger={
        <Button isBusy={isBusy}>
          {text('again.label')}
          <ChevronDown size={16} strokeWidth={1.75} aria-hidden />
        </Button>
      }
      items={[
        {
          label: text('again.same'),
          command: `switchyard files again ${fileId} --seed same`,
          onSelect: () => again('same'),
        },
        {
          label: text('again.random'),
          command: `switchyard files again ${fileId} --seed random`,
          onSelect: () => again('random'),
        },
      ]}
    />
  );
}

/** Copies the task as a request that submits the same work again. */
function CopyAsMenu({ task }: { task: TaskDetail }) {
  const text = useText('tasks');
  const toast = useToast();
  const { origin } = window.location;
  const { copy, dialog } = useCopy();
  const copyAs = async (name: string, content: string) => {
    if (await copy(content)) toast({ text: text('copy.done', { name }) });
  };
  const items = [
    { label: 'curl', content: () => asCurl(task, origin) },
    { label: text('copy.command'), content: () => asCommand(task) },
    { label: text('copy.client'), content: () => asClient(task, origin) },
    { label: text('copy.workflow'), content: () => JSON.stringify(task.workflow, null, 2) },
    { label: text('copy.id'), content: () => task.id },
  ];
  return (
    <>
      <Menu
        label={text('copy.label')}
        trigger={
          <Button>
            {text('copy.label')}
            <ChevronDown size={16} strokeWidth={1.75} aria-hidden />
          </Button>
        }
        items={items.map(({ label, content }) => ({ label, onSelect: () => void copyAs(label, content()) }))}
      />
      {dialog}
    </>
  );
}
