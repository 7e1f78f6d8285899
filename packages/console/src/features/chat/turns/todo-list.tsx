import { isRecord } from '@switchyard/contract/is-record';
import { StatusWord } from '../../../kit/status-word.tsx';
import { useText } from '../../../lib/i18n.ts';

const kinds = { pending: 'waiting', in_progress: 'running', completed: 'done' } as const;

/** The tasks that the agent has planned; it ticks them off during the run. */
export function TodoList({ values }: { values: Record<string, unknown> }) {
  const text = useText('chat');
  const todos = todosIn(values);
  if (todos.length === 0) return null;
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <details open className="max-w-[68ch] rounded-card border border-border p-3">
      <summary className="cursor-pointer text-body font-medium">
        {text('todos.label', { done, count: todos.length })}
      </summary>
      <ol className="mt-2 flex flex-col gap-1 text-body">
        {todos.map(({ content, status }) => (
          <li key={content} className="flex items-baseline gap-3">
            <StatusWord kind={kinds[status]}>{text(`todos.${status}`)}</StatusWord>
            <span className="min-w-0 break-words">{content}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

interface Todo {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/** The list of todos in the state of a thread; agents of a user's own may have none, or another kind. */
function todosIn({ todos }: Record<string, unknown>): Todo[] {
  if (!Array.isArray(todos)) return [];
  return todos.flatMap((todo: unknown) => {
    if (!isRecord(todo) || typeof todo.content !== 'string') return [];
    const status = todo.status === 'completed' || todo.status === 'in_progress' ? todo.status : 'pending';
    return { content: todo.content, status };
  });
}
