import type { Task } from '@switchyard/contract/dispatch/task';
import { ProgressBar } from '../../kit/progress-bar.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { useNow } from '../../lib/format/use-now.ts';
import { useText } from '../../lib/i18n.ts';
import { remainingMs } from '../../lib/task-state.ts';

/** Shows how far a running task is, with the node that works. */
export function TaskProgress({ task, thin }: { task: Task; thin?: boolean }) {
  const text = useText('tasks');
  const format = useFormat();
  const percent = format.percent(task.progress);
  return (
    <ProgressBar
      thin={thin}
      label={text('progress.label')}
      value={task.progress}
      text={task.node === null ? percent : text('progress.spoken', { percent, node: task.node })}
    />
  );
}

/** When the task will have ended, as a range; nothing when the gateway knows too little. */
export function TaskEstimate({ task }: { task: Task }) {
  const text = useText('tasks');
  const format = useFormat();
  const remaining = remainingMs(task.eta, useNow());
  if (remaining === null) return null;
  if (remaining.to === 0) return <span>{text('estimate.over')}</span>;
  return <span>{text('estimate.range', { range: format.range(remaining.from, remaining.to) })}</span>;
}
