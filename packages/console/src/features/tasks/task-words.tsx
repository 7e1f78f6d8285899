import type { Task } from '@switchyard/contract/dispatch/task';
import { useCallback } from 'react';
import { StatusWord } from '../../kit/status-word.tsx';
import { useText } from '../../lib/i18n.ts';
import { glyphOf, shortId, stateOf } from '../../lib/task-state.ts';

/** The state of a task as glyph and word. */
export function TaskStatusWord({ task, tinted }: { task: Task; tinted?: boolean }) {
  const text = useText('tasks');
  const state = stateOf(task);
  return (
    <StatusWord kind={glyphOf[state]} tinted={tinted}>
      {text(`state.${state}`)}
    </StatusWord>
  );
}

/** The name of a task; one without a name is called by the end of its id. */
export function useTaskName(): (task: Pick<Task, 'id' | 'name'>) => string {
  const text = useText('tasks');
  return useCallback(({ id, name }) => name ?? text('unnamed', { id: shortId(id) }), [text]);
}
