import type { BaseMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { threadState } from './thread-state.ts';

const longestTitle = 50;

/**
 * Gives a thread its title once the first question is answered, from the question itself: without a model call. The
 * journal records what middleware changes, under its name.
 */
export function threadTitle() {
  return createMiddleware({
    name: 'TitleMiddleware',
    stateSchema: threadState,
    afterModel: ({ messages, title }) => {
      if (title || !isAnswered(messages)) return;
      return { title: titleOf(messages.find(({ type }) => type === 'human')?.text ?? '') };
    },
  });
}

/** The question, cut after fifty characters. */
export function titleOf(question: string): string {
  const characters = [...question.trim().replace(/\s+/g, ' ')];
  if (characters.length === 0) return 'New Conversation';
  if (characters.length <= longestTitle) return characters.join('');
  return `${characters.slice(0, longestTitle).join('').trimEnd()}...`;
}

function isAnswered(messages: BaseMessage[]): boolean {
  const last = messages.at(-1) as (BaseMessage & { tool_calls?: unknown[] }) | undefined;
  return last?.type === 'ai' && (last.tool_calls ?? []).length === 0;
}
