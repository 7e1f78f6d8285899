import type { TaskDetail, TaskError } from '@switchyard/contract/dispatch/task';
import { LongText } from '../../../kit/long-text.tsx';
import { useGatewayWords } from '../../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../../lib/i18n.ts';
import { hasEnded } from '../task-state.ts';
import { AttemptsStrip } from './attempts-strip.tsx';
import { describeFailure } from './failure.ts';
import { TaskFacts } from './task-facts.tsx';
import { TaskHeader } from './task-header.tsx';
import { TaskInput } from './task-input.tsx';
import { TaskNodes } from './task-nodes.tsx';
import { TaskResult } from './task-result.tsx';
import { TaskWhyNote } from './task-why-note.tsx';

/** A task: its state and what it made first, then how it went, then what it was given. */
export function TaskBody({ task, wide = false }: { task: TaskDetail; wide?: boolean }) {
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <TaskHeader task={task} />
      {task.status === 'failed' && task.error ? <FailureNote error={task.error} /> : null}
      <TaskResult task={task} wide={wide} />
      {hasEnded(task) ? null : <TaskWhyNote task={task} />}
      <div className={wide ? 'grid gap-x-8 gap-y-6 lg:grid-cols-2' : 'flex flex-col gap-6'}>
        <TaskNodes task={task} />
        <AttemptsStrip task={task} />
      </div>
      <TaskInput task={task} />
      <TaskFacts task={task} />
    </div>
  );
}

/** Why a task failed, in one sentence, and what to try; the traceback is folded. */
function FailureNote({ error }: { error: TaskError }) {
  const text = useText('tasks');
  const words = useGatewayWords();
  if (error.code === 'cancelled') return <p className="text-body text-text-2">{text('failure.cancelled')}</p>;
  const { cause, rest, advice } = describeFailure(error, words.said(error));
  const node = error.nodeTitle ?? error.node;
  return (
    <div role="alert" className="flex min-w-0 flex-col gap-2 rounded-card bg-failed-tint p-3">
      <p className="text-body font-medium break-words text-failed">{cause}</p>
      <p className="text-body text-text">{text(`advice.${advice}`)}</p>
      {node === undefined ? null : (
        <p className="text-table text-text-2">
          <a href={`#node-${error.node ?? ''}`} className="underline">
            {text('failure.node', { node })}
          </a>
        </p>
      )}
      {rest ? (
        <details>
          <summary className="cursor-pointer text-table text-text-2">{text('failure.details')}</summary>
          <div className="mt-2">
            <LongText text={rest} label={text('failure.details')} />
          </div>
        </details>
      ) : null}
    </div>
  );
}
