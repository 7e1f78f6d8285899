import { ProgressBar } from '../../../kit/progress-bar.tsx';
import { type StatusKind, StatusWord } from '../../../kit/status-word.tsx';
import { useFormat } from '../../../lib/format/use-format.ts';
import { useText } from '../../../lib/i18n.ts';
import type { ShownTask } from './replay-state.ts';

const kinds: Record<ShownTask['state'], StatusKind> = {
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** A task of the pool at one moment: how far it is, where, and what it has made. */
export function TaskCard({
  task,
  pictureOf,
}: {
  task: ShownTask;
  pictureOf: (fileId: string) => string | null;
}) {
  const text = useText('runs');
  const format = useFormat();
  const percent = format.percent(task.percent);
  const where = [task.node, task.instanceName].filter((part) => part !== null);
  return (
    <div className="flex flex-col gap-2 rounded-card border border-border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 truncate font-medium">{task.name ?? task.taskId}</span>
        <StatusWord kind={kinds[task.state]}>{text(`task.${task.state}`)}</StatusWord>
        {task.attempt > 1 ? (
          <span className="text-table text-text-2">{text('task.attempt', { attempt: task.attempt })}</span>
        ) : null}
      </div>
      {task.state === 'running' || task.state === 'waiting' ? (
        <div className="flex items-center gap-3">
          <ProgressBar
            value={task.percent}
            label={text('task.progress', { name: task.name ?? '' })}
            text={[percent, ...where].join(', ')}
            thin
          />
          <span className="w-10 shrink-0 text-right text-table tabular-nums">{percent}</span>
        </div>
      ) : null}
      {where.length === 0 ? null : <p className="text-table text-text-2">{where.join(' · ')}</p>}
      {task.error === null ? null : <p className="text-table break-words text-failed">{task.error}</p>}
      {task.files.length === 0 ? null : (
        <ul className="flex flex-wrap gap-2">
          {task.files.map(({ fileId, filename }) => (
            <li key={fileId} className="size-32 overflow-hidden rounded-control bg-sunken">
              <FilePicture source={pictureOf(fileId)} name={filename} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function FilePicture({ source, name }: { source: string | null; name: string }) {
  if (source === null) return <span className="block p-2 text-meta break-all text-text-2">{name}</span>;
  return <img src={source} alt={name} title={name} className="size-full object-cover" />;
}
