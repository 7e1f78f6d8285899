import { isRecord } from '../../../lib/is-record.ts';

export interface Todo {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
}

/** The list of todos in the state of a thread; agents of a user's own may have none, or another kind. */
export function todosIn({ todos }: Record<string, unknown>): Todo[] {
  if (!Array.isArray(todos)) return [];
  return todos.flatMap((todo: unknown) => {
    if (!isRecord(todo) || typeof todo.content !== 'string') return [];
    const status = todo.status === 'completed' || todo.status === 'in_progress' ? todo.status : 'pending';
    return { content: todo.content, status };
  });
}
