import type { TaskDetail } from '@switchyard/contract/dispatch/task';
import { hasEnded } from '../task-state.ts';
import { AttemptsStrip } from './attempts-strip.tsx';
import { FailureNote } from './failure-note.tsx';
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
