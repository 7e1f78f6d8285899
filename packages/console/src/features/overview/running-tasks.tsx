import type { PoolOverview } from '@switchyard/contract/dispatch/overview';
import type { Task } from '@switchyard/contract/dispatch/task';
import { ProgressBar } from '../../kit/progress-bar.tsx';
import { RowLink } from '../../kit/rows/row-link.tsx';
import { rowMarks, rowRing } from '../../kit/rows/row-marks.ts';
import { Section } from '../../kit/section.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { useNow } from '../../lib/format/use-now.ts';
import { useText } from '../../lib/i18n.ts';

/** The running tasks, with their progress. */
export function RunningTasks({ board }: { board: PoolOverview }) {
  const text = useText('overview');
  const names = new Map(board.instances.map(({ instanceId, serverName }) => [instanceId, serverName]));
  const others = board.counts.runningTasks - board.running.length;
  return (
    <Section title={text('running.title')}>
      {board.running.length === 0 ? <p className="text-body text-text-2">{text('running.none')}</p> : null}
      <ul className="flex flex-col gap-3">
        {board.running.map((task) => (
          <li key={task.id} {...rowMarks(task.id)} className={rowRing}>
            <RunningTask task={task} instance={names.get(task.instanceId ?? '') ?? task.instanceId ?? ''} />
          </li>
        ))}
      </ul>
      {others > 0 ? (
        <p className="text-table text-text-2">{text('running.others', { count: others })}</p>
      ) : null}
    </Section>
  );
}

function RunningTask({ task, instance }: { task: Task; instance: string }) {
  const text = useText('overview');
  const format = useFormat();
  const now = useNow();
  const percent = format.percent(task.progress);
  const { eta } = task;
  return (
    <div className="flex flex-col gap-1">
      <p className="flex items-baseline justify-between gap-3 text-body">
        <RowLink
          href={`/tasks/${task.id}`}
          command={`switchyard tasks get ${task.id}`}
          className="min-w-0 truncate font-medium hover:underline"
        >
          {task.name ?? text('running.unnamed', { id: task.id.slice(-8) })}
        </RowLink>
        <span className="shrink-0 text-table text-text-2 tabular-nums">{percent}</span>
      </p>
      <ProgressBar
        label={text('running.progress')}
        value={task.progress}
        text={task.node === null ? percent : text('running.progressAt', { percent, node: task.node })}
        thin
      />
      <p className="flex justify-between gap-3 text-meta text-text-2">
        <span className="truncate">
          {task.node === null ? instance : text('running.at', { instance, node: task.node })}
        </span>
        {eta === null ? null : (
          <span className="shrink-0">
            {text('running.left', {
              range: format.range(
                Math.max(0, Date.parse(eta.from) - now),
                Math.max(0, Date.parse(eta.to) - now),
              ),
            })}
          </span>
        )}
      </p>
    </div>
  );
}
