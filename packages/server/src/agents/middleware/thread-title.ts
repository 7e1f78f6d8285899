import type { BaseMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import type { AnsweringModels } from '../models/answering-model.ts';
import { askAside, wishContext } from '../models/middleware-model.ts';
import { failureKey } from '../run-failure.ts';
import { threadState } from '../state/thread-state.ts';

export interface TitleSettings {
  enabled: boolean;
  /** Null for the run's own. */
  model: string | null;
}

const longestTitle = 50;
/** Of question and answer each, in the prompt. */
const longestSide = 500;

/**
 * Gives a thread its title once the first question is answered: a model's, or else from the question. The journal records
 * what middleware changes, under its name.
 */
export function threadTitle(
  models: AnsweringModels,
  {
    settings,
    log,
  }: { settings: Pick<TitleSettings, 'model'>; log: { warn(details: object, message: string): void } },
) {
  return createMiddleware({
    name: 'TitleMiddleware',
    stateSchema: threadState,
    contextSchema: wishContext,
    afterModel: async ({ messages, title }, runtime) => {
      if (title || !isAnswered(messages)) return;
      const question = messages.find(({ type }) => type === 'human')?.text ?? '';
      try {
        const prompt = promptOf(question, messages.at(-1)?.text ?? '');
        const said = await askAside(models, {
          tag: 'middleware:title',
          model: settings.model,
          runtime,
          prompt,
        });
        return { title: cleaned(said ?? '') || titleOf(question) };
      } catch (error) {
        if (runtime.signal?.aborted) throw error;
        log.warn({ err: error }, 'No model gave a title; it comes from the question');
        return { title: titleOf(question) };
      }
    },
  });
}

/** The question, cut after fifty characters. */
export function titleOf(question: string): string {
  const title = cut(question);
  return title === '' ? 'New Conversation' : title;
}

/** What a model has said, without its thoughts and quotes, on one line. */
function cleaned(said: string): string {
  const plain = said.replace(/<think(ing)?>[\s\S]*?(<\/think(ing)?>|$)/g, '').trim();
  return cut(plain.replace(/^["'“”«»*#\s]+|["'“”«»*\s]+$/g, ''));
}

function cut(text: string): string {
  const characters = [...text.trim().replace(/\s+/g, ' ')];
  if (characters.length <= longestTitle) return characters.join('');
  return `${characters.slice(0, longestTitle).join('').trimEnd()}...`;
}

function promptOf(question: string, answer: string): [['user', string]] {
  const ask =
    'Write a title of at most six words for this conversation, in its language. Answer with the title alone.';
  const sides = `User: ${question.slice(0, longestSide)}\n\nAssistant: ${answer.slice(0, longestSide)}`;
  return [['user', `${ask}\n\n${sides}`]];
}

function isAnswered(messages: BaseMessage[]): boolean {
  const last = messages.at(-1) as (BaseMessage & { tool_calls?: unknown[] }) | undefined;
  if (last?.type !== 'ai' || failureKey in last.additional_kwargs) return false;
  return (last.tool_calls ?? []).length === 0;
}
