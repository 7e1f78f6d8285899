import type { Task } from '@switchyard/contract/dispatch/task';
import { Link } from 'wouter';
import { GatewayText } from '../../kit/gateway-text.tsx';
import { ProgressBar } from '../../kit/progress-bar.tsx';
import { StatusWord } from '../../kit/status-word.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { Pictures } from './pictures.tsx';

const perTask = 2;

/** One task of the sample: its pictures, or how far it is. Its place is kept before it exists. */
export function SampleTask({ task, number }: { task: Task | undefined; number: number }) {
  const text = useText('start');
  const label = text('run.task', { number });
  return (
    <li className="flex min-w-0 flex-col gap-1.5">
      <Pictures files={task?.result?.outputs ?? []} slots={perTask} label={label} />
      <div className="min-h-6">{task && <State task={task} label={label} />}</div>
    </li>
  );
}

function State({ task, label }: { task: Task; label: string }) {
  const text = useText('start');
  switch (task.status) {
    case 'pending':
      return <StatusWord kind="waiting">{text('run.waiting')}</StatusWord>;
    case 'running':
      return <Going task={task} label={label} />;
    case 'completed':
      return <StatusWord kind="done">{text('run.done')}</StatusWord>;
    case 'failed':
      return <Failed task={task} />;
  }
}

function Going({ task: { progress, node }, label }: { task: Task; label: string }) {
  const text = useText('start');
  const format = useFormat();
  const percent = format.percent(progress);
  const step = node ?? text('run.working');
  return (
    <div className="flex flex-col gap-1">
      <ProgressBar thin label={label} value={progress} text={`${percent}, ${step}`} />
      <p className="truncate text-table text-text-2 tabular-nums">
        {percent} <span title={step}>{step}</span>
      </p>
    </div>
  );
}

function Failed({ task }: { task: Task }) {
  const text = useText('start');
  return (
    <>
      <StatusWord kind="failed">{text('run.failed')}</StatusWord>
      <p className="line-clamp-3 text-table break-words text-text-2">
        {task.error && <GatewayText message={task.error.message} sentences={task.error.sentences} />}
      </p>
      <Link href={`/tasks/${task.id}`} className="text-table text-accent underline">
        {text('run.why')}
      </Link>
    </>
  );
}
