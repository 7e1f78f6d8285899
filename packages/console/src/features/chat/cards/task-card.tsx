import type { Instance } from '@switchyard/contract/dispatch/instance';
import { cancelTask, retryTask } from '@switchyard/contract/dispatch/tasks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button, LinkButton } from '../../../kit/button.tsx';
import { useCommandHint } from '../../../kit/command-hint.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { GatewayText } from '../../../kit/gateway-text.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { ProgressBar } from '../../../kit/progress-bar.tsx';
import { type StatusKind, StatusWord } from '../../../kit/status-word.tsx';
import { instancesQuery } from '../../../lib/data/instances.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useNow } from '../../../lib/format/use-now.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { useUsualTime } from '../../../lib/use-usual-time.ts';
import { isOpenPhase, type TaskCardView, taskCardOf } from '../model/task-card.ts';
import type { ToolPart } from '../model/turn.ts';
import { useNavigation } from '../use-navigation.ts';
import { PictureSlots } from './picture-slots.tsx';

const kinds = {
  preparing: 'running',
  waiting: 'waiting',
  running: 'running',
  stopping: 'draining',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<TaskCardView['phase'], StatusKind>;

/** A task on the pool inside the turn that asked for it: how far it is, where, and what it made. */
export function TaskCard({ part }: { part: ToolPart }) {
  const text = useText('chat');
  const view = taskCardOf(part);
  const name = view.name ?? part.name;
  const isOpen = isOpenPhase(view.phase);
  return (
    <section
      aria-label={text('task.label', { name })}
      className="flex max-w-[44rem] min-w-0 flex-col gap-3 rounded-card border border-border bg-surface p-3"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 text-body">
        <StatusWord kind={kinds[view.phase]}>{text(`task.phase.${view.phase}`)}</StatusWord>
        <h3 className="min-w-0 flex-1 truncate font-medium">
          {view.taskId === null ? (
            name
          ) : (
            <Link href={`/tasks/${view.taskId}`} className="hover:underline">
              {name}
            </Link>
          )}
        </h3>
        <InstanceName instanceId={view.instanceId} />
      </header>
      <PictureSlots view={view} />
      {isOpen ? <Progress view={view} /> : null}
      <Fault view={view} />
      <TaskCardActions view={view} isOpen={isOpen} />
    </section>
  );
}

function Progress({ view }: { view: TaskCardView }) {
  const text = useText('chat');
  const format = useFormat();
  const usual = useUsualTime(view.taskId, view.node);
  const isRunning = view.phase === 'running';
  const percent = format.percent(view.progress);
  const spoken = view.node === null ? percent : text('task.at', { percent, node: view.node });
  return (
    <div className="flex flex-col gap-1">
      <ProgressBar
        value={isRunning ? view.progress : null}
        label={text('task.progress')}
        text={isRunning ? spoken : text(`task.phase.${view.phase}`)}
      />
      <p className="flex flex-wrap items-baseline gap-x-3 text-table text-text-2">
        {isRunning ? <span className="font-medium text-text tabular-nums">{percent}</span> : null}
        {view.node === null ? null : <span className="truncate">{view.node}</span>}
        {usual === null ? null : <span>{text('task.usually', { time: usual })}</span>}
        {view.phase === 'waiting' && view.position !== null ? (
          <span>{text('task.position', { position: view.position })}</span>
        ) : null}
        <Estimate eta={view.eta} />
        {view.attempt > 1 ? <span>{text('task.attempt', { attempt: view.attempt })}</span> : null}
      </p>
      {view.phase === 'waiting' && view.waiting !== null ? (
        <p className="text-table text-text-2">
          <GatewayText {...view.waiting} />
        </p>
      ) : null}
    </div>
  );
}

function Fault({ view: { phase, error } }: { view: TaskCardView }) {
  const text = useText('chat');
  const [isWhole, setWhole] = useState(false);
  const words = useGatewayWords();
  if (error === null || phase !== 'failed') return null;
  const shown = words.said(error);
  const [first = '', ...rest] = shown.split('\n');
  return (
    <div className="flex flex-col gap-1 text-body">
      <p className="break-words text-failed">{isWhole ? shown : first}</p>
      {rest.length > 0 && !isWhole ? (
        <button
          type="button"
          className="self-start text-table text-accent underline"
          onClick={() => setWhole(true)}
        >
          {text('task.wholeError')}
        </button>
      ) : null}
      <p className="text-text-2">
        {text(error.code === 'out_of_memory' ? 'task.hint.memory' : 'task.hint.retry')}
      </p>
    </div>
  );
}

function InstanceName({ instanceId }: { instanceId: string | null }) {
  const text = useText('chat');
  const instances = useQuery({ ...instancesQuery(), enabled: instanceId !== null });
  if (instanceId === null) return null;
  const found = instances.data?.find(({ id }) => id === instanceId);
  return (
    <span className="min-w-0 truncate text-table text-text-2">
      <span className="sr-only">{text('task.on')} </span>
      {found?.serverName ?? instanceId}
    </span>
  );
}

/** Shows the time that it will still take, as a range. Nothing is shown where too little is known. */
function Estimate({ eta }: { eta: { from: string; to: string } | null }) {
  const text = useText('chat');
  const format = useFormat();
  const now = useNow();
  if (eta === null) return null;
  const to = Date.parse(eta.to) - now;
  if (to <= 0) return <span>{text('task.longer')}</span>;
  return (
    <span>{text('task.about', { range: format.range(Math.max(0, Date.parse(eta.from) - now), to) })}</span>
  );
}

/** The actions on a task: stop it while it is open, and run it again when it has failed. */
function TaskCardActions({
  view: { taskId, phase, instanceId },
  isOpen,
}: {
  view: TaskCardView;
  isOpen: boolean;
}) {
  const text = useText('chat');
  const { act, isBusy } = useAct();
  const hint = useCommandHint(taskId === null ? undefined : `switchyard tasks cancel ${taskId}`);
  if (taskId === null) return null;
  const cancel = () => void act(() => gateway.call(cancelTask, { params: { taskId } }));
  const canRetry = phase === 'failed' || phase === 'cancelled';
  return (
    <footer className="flex flex-wrap gap-2">
      {isOpen ? (
        <Button {...hint} size="s" isBusy={isBusy || phase === 'stopping'} onClick={cancel}>
          {text('task.cancel')}
        </Button>
      ) : null}
      {canRetry ? <RetryElsewhere taskId={taskId} failedOn={instanceId} /> : null}
      <LinkButton size="s" variant="plain" href={`/tasks/${taskId}`}>
        {text('task.open')}
      </LinkButton>
    </footer>
  );
}

/**
 * Runs a copy of the task on another instance, or on any. The copy is a separate task, and the agent does not get its
 * result.
 */
function RetryElsewhere({ taskId, failedOn }: { taskId: string; failedOn: string | null }) {
  const text = useText('chat');
  const { act, isBusy } = useAct();
  const openPage = useNavigation();
  const instances = useQuery(instancesQuery());
  const retry = (instanceId?: string) =>
    void act(() => gateway.call(retryTask, { params: { taskId }, query: { instanceId } }), {
      done: ({ id }) => ({
        text: text('task.retried'),
        action: { label: text('task.open'), run: () => openPage(`/tasks/${id}`) },
      }),
    });
  const others = (instances.data ?? []).filter((instance) => instance.id !== failedOn && isUsable(instance));
  const choices = others.map(({ id, serverName }) => ({
    label: text('task.retryOn', { name: `${serverName} (${id})` }),
    onSelect: () => retry(id),
  }));
  return (
    <Menu
      label={text('task.retry')}
      trigger={
        <Button size="s" isBusy={isBusy}>
          {text('task.retry')}
        </Button>
      }
      items={[
        {
          label: text('task.retryAnywhere'),
          command: `switchyard tasks retry ${taskId}`,
          onSelect: () => retry(),
        },
        ...choices,
      ]}
    />
  );
}

function isUsable({ enabled, alive, draining }: Instance): boolean {
  return enabled && alive && !draining;
}
