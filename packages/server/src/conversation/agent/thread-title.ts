import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch';
import type { BaseMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { threadState } from './thread-state.ts';

const longestTitle = 50;
const name = 'TitleMiddleware';

/** Gives a thread its title once the first question is answered, from the question itself: without a model call. */
export function threadTitle() {
  return createMiddleware({
    name,
    stateSchema: threadState,
    afterModel: async ({ messages, title }) => {
      if (title || !isAnswered(messages)) return;
      const changes = { title: titleOf(messages.find(({ type }) => type === 'human')?.text ?? '') };
      const event = { name, hook: 'after_model', action: 'generate_title', changes };
      await dispatchCustomEvent('middleware:title', event);
      return changes;
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
