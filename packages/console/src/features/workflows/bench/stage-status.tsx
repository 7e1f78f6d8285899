import type { Task } from '@switchyard/contract/dispatch/task';
import { createTaskBatch } from '@switchyard/contract/dispatch/task-batches';
import { useQuery } from '@tanstack/react-query';
import { Square } from 'lucide-react';
import { Link } from 'wouter';
import { IconButton } from '../../../kit/button.tsx';
import { useAct } from '../../../kit/forms/use-act.ts';
import { GatewayText } from '../../../kit/gateway-text.tsx';
import { ProgressBar } from '../../../kit/progress-bar.tsx';
import { StatusWord } from '../../../kit/status-word.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { taskQuery } from '../../../lib/data/tasks.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { glyphOf, stateOf } from '../../../lib/task-state.ts';
import { useUsualTime } from '../../../lib/use-usual-time.ts';
import type { BenchResult } from './results.ts';

const askedAgainMs = 5_000;
/** The button works until the workers have been asked to stop. */
const waitSeconds = 10;

/** The progress of the work and its reason to wait; while nothing is made, the facts of the result. Its place is always there. */
export function StageStatus({
  shown,
  open,
}: {
  shown: BenchResult | undefined;
  /** The results that have not ended, those that run first. */
  open: readonly BenchResult[];
}) {
  const working = open.find(({ key }) => key === shown?.key) ?? open[0];
  return (
    <div className="flex min-h-11 min-w-[12rem] flex-1 items-center gap-3">
      {working === undefined ? (
        shown && <Facts result={shown} />
      ) : (
        <>
          <Work task={working.task} isOnStage={working.key === shown?.key} others={open.length - 1} />
          <Cancel open={open} />
        </>
      )}
    </div>
  );
}

interface WorkProps {
  task: Task;
  /** True when the stage has room for the whole reason to wait, and shows it. */
  isOnStage: boolean;
  others: number;
}

function Work({ task, isOnStage, others }: WorkProps) {
  const text = useText('workflows');
  const state = stateOf(task);
  const isRunning = state === 'running';
  const usual = useUsualTime(task.id, task.node);
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <p className="flex min-w-0 items-center gap-x-3 text-table text-text-2">
        <StatusWord kind={glyphOf[state]}>
          {isRunning ? text('bench.percent', { percent: task.progress }) : text(`state.${state}`)}
        </StatusWord>
        {isRunning ? (
          <span className="min-w-0 truncate">
            {task.node}
            {usual === null ? '' : ` · ${text('bench.usually', { time: usual })}`}
          </span>
        ) : isOnStage ? null : (
          // Two lines have room in the place that is always there.
          <span className="line-clamp-2 min-w-0 text-meta">
            <Why taskId={task.id} />
          </span>
        )}
        {others > 0 ? (
          // On a phone the reason needs the room; the line of the sitting has the number.
          <span className="shrink-0 max-sm:hidden">{text('bench.others', { count: others })}</span>
        ) : null}
      </p>
      {isRunning ? (
        <ProgressBar
          thin
          value={task.progress}
          label={text('started.progress')}
          text={text('started.progressAt', { percent: task.progress, node: task.node ?? '' })}
        />
      ) : null}
    </div>
  );
}

/** Why it waits. Frames do not carry the sentence, so it is asked for. */
export function Why({ taskId }: { taskId: string }) {
  const { data } = useQuery({ ...taskQuery(taskId), refetchInterval: askedAgainMs });
  const words = useGatewayWords();
  if (!data?.waiting) return null;
  const why = { message: data.waiting, sentences: data.waitingSentences };
  return (
    <span title={words.said(why)}>
      <GatewayText {...why} />
    </span>
  );
}

function Cancel({ open }: { open: readonly BenchResult[] }) {
  const text = useText('workflows');
  const { act, isBusy } = useAct();
  const taskIds = open.map(({ task }) => task.id);
  return (
    <IconButton
      label={text('bench.cancel', { count: open.length })}
      variant="quiet"
      isBusy={isBusy || open.every(({ task }) => task.cancelRequested)}
      // An empty square in a frame would look like a box to tick.
      icon={<Square size={14} strokeWidth={1.75} fill="currentColor" aria-hidden />}
      onClick={() =>
        void act(
          () => {
            const body = { action: 'cancel', taskIds } as const;
            return gateway.call(createTaskBatch, { body, query: { wait: waitSeconds } });
          },
          { refresh: [keys.taskPages] },
        )
      }
    />
  );
}

function Facts({ result: { task, output } }: { result: BenchResult }) {
  const text = useText('workflows');
  const format = useFormat();
  const { startedAt, finishedAt } = task;
  const tookMs = startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : 0;
  return (
    <p className="min-w-0 flex-1 truncate text-table text-text-2">
      <Link href={`/tasks/${task.id}`} className="text-accent underline underline-offset-2">
        {output?.filename ?? text(`state.${stateOf(task)}`)}
      </Link>
      {output === null ? null : ` · ${format.bytes(output.size)}`}
      {tookMs < 100
        ? null
        : ` · ${text(output === null ? 'bench.after' : 'bench.took', { time: format.duration(tookMs) })}`}
    </p>
  );
}
