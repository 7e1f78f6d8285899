import { AIMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import { cutTitle, titleOfQuestion, withoutThoughts } from '../message-text.ts';
import type { AnsweringModels } from '../models/answering-model.ts';
import { askAside, type ModelRuntime, modelContext } from '../models/middleware-model.ts';
import { failureKey } from '../run-contract/run-marks.ts';
import { threadState } from '../state/thread-state.ts';
import { clarificationTool } from '../tools/clarification-request.ts';

export interface TitleSettings {
  enabled: boolean;
  /** Null for the run's own model. */
  model: string | null;
}

/** Characters of the question and of the answer that the prompt contains, each. */
const maxSideLength = 500;

/**
 * Gives a thread its title after the first answer. A model writes it; without one it is taken from the question. The journal
 * records changes by middleware under the middleware's name.
 */
export function threadTitle(
  models: AnsweringModels,
  { settings, log }: { settings: Pick<TitleSettings, 'model'>; log: Pick<Log, 'warn'> },
) {
  return createMiddleware({
    name: 'TitleMiddleware',
    stateSchema: threadState,
    contextSchema: modelContext,
    wrapModelCall: async (request, handler) => {
      const answer = await handler(request);
      const { messages, title } = request.state;
      if (title || !AIMessage.isInstance(answer) || !isAnswer(answer)) return answer;
      const question = messages.find(({ type }) => type === 'human')?.text ?? '';
      return new Command({ update: { title: await titleFor(question, answer.text, request.runtime) } });
    },
  });

  async function titleFor(question: string, answer: string, runtime: ModelRuntime): Promise<string> {
    try {
      const { model } = settings;
      const prompt = promptOf(question, answer);
      const said = await askAside(models, { tag: 'middleware:title', model, runtime, prompt });
      return cleaned(said ?? '') || titleOfQuestion(question);
    } catch (error) {
      if (runtime.signal?.aborted) throw error;
      log.warn({ err: error }, 'No model wrote a title; the title is taken from the question');
      return titleOfQuestion(question);
    }
  }
}

/** Returns a model's text on one line, without its thoughts and without quotes. */
function cleaned(said: string): string {
  return cutTitle(withoutThoughts(said).replace(/^["'“”«»*#\s]+|["'“”«»*\s]+$/g, ''));
}

function promptOf(question: string, answer: string): [['user', string]] {
  const ask =
    'Write a title of at most six words for this conversation, in its language. Answer with the title alone.';
  const sides = `User: ${question.slice(0, maxSideLength)}\n\nAssistant: ${answer.slice(0, maxSideLength)}`;
  return [['user', `${ask}\n\n${sides}`]];
}

/** A question to the user ends the turn as well. */
function isAnswer({ additional_kwargs: extra, tool_calls: calls }: AIMessage): boolean {
  return !(failureKey in extra) && (calls ?? []).every(({ name }) => name === clarificationTool);
}
