import type { Instance } from '@switchyard/contract/dispatch/instance';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ProgressBar } from '../../../kit/progress-bar.tsx';
import { taskQuery } from '../../../lib/data/tasks.ts';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';

/** The task that the instance works on, in a place that keeps its height. */
export function RunningNow({ instance }: { instance: Instance }) {
  const text = useText('instances');
  const { currentTaskId, queueRemaining, busy } = instance;
  const queued = queueRemaining ?? 0;
  return (
    <div className="flex min-h-14 flex-col justify-center gap-1 text-table">
      {currentTaskId !== null ? (
        <CurrentTask taskId={currentTaskId} />
      ) : (
        <p className="text-text-2">{busy ? text('card.usedByOthers') : text('card.nothing')}</p>
      )}
      {queued > 0 ? <p className="text-text-2">{text('card.queue', { count: queued })}</p> : null}
    </div>
  );
}

function CurrentTask({ taskId }: { taskId: string }) {
  const text = useText('instances');
  const format = useFormat();
  const { data } = useQuery(taskQuery(taskId));
  // Another user's task: the page learns only that it runs.
  if (data === undefined) return <p className="text-text-2">{text('card.working')}</p>;
  const percent = format.percent(data.progress);
  return (
    <>
      <p className="flex items-center justify-between gap-3">
        <Link href={`/tasks/${taskId}`} className="min-w-0 truncate text-accent hover:underline">
          {data.name ?? text('card.task')}
        </Link>
        <span className="shrink-0 text-text-2 tabular-nums">{percent}</span>
      </p>
      <ProgressBar
        thin
        label={text('card.progress')}
        value={data.progress}
        text={data.node === null ? percent : text('card.progressAt', { percent, node: data.node })}
      />
      <p className="truncate text-meta text-text-2">{data.node ?? ' '}</p>
    </>
  );
}
