import { loadLangchain } from '../langchain.ts';
import type { ChatModels, ChatModelsOptions } from './chat-models.ts';

/** Asks a model one question outside of any run. LangChain is loaded with the first question. */
export function modelAsker(
  options: ChatModelsOptions,
): (
  prompt: string,
  settings: { model: string | null; signal: AbortSignal; tags?: string[] },
) => Promise<string> {
  let models: Promise<ChatModels> | undefined;
  return async (prompt, { model, signal, tags = [] }) => {
    models ??= loadLangchain(() => import('./chat-models.ts')).then(
      ({ ChatModels }) => new ChatModels(options),
    );
    const chat = await (await models).of({ name: model, thinking: false, effort: null });
    return (await chat.invoke(prompt, { signal, tags })).text;
  };
}
