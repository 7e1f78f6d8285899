import { ReducedValue, StateSchema } from '@langchain/langgraph';
import { z } from 'zod';

export const todo = z.object({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});

/** The channels of a conversation besides `messages`, which every agent has. */
export const threadState = new StateSchema({
  title: z.string().nullable().optional(),
  /** Virtual paths of what was made for the user, in the order in which it was made. */
  artifacts: new ReducedValue(z.array(z.string()).default([]), { reducer: union }),
  todos: z.array(todo).nullable().optional(),
});

function union(present: string[], added: string[]): string[] {
  return [...new Set([...present, ...added])];
}
