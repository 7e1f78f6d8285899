import { steadyClock } from '../../lib/clock.ts';
import { loadLangchain } from '../langchain.ts';
import type { FinishedCall } from '../run-contract/agent-run.ts';
import type { ChatModels, ChatModelsOptions } from './chat-models.ts';
import type { MeasureCall } from './model-metrics.ts';
import { modelNames } from './model-names.ts';

/** Asks a model one question outside of any run. LangChain is loaded with the first question. */
export function modelAsker({
  measureCall,
  ...options
}: ChatModelsOptions & { measureCall: MeasureCall }): (
  prompt: string,
  settings: { model: string | null; signal: AbortSignal; tags?: string[] },
) => Promise<string> {
  let models: Promise<ChatModels> | undefined;
  return async (prompt, { model, signal, tags = [] }) => {
    models ??= loadLangchain(() => import('./chat-models.ts')).then(
      ({ ChatModels }) => new ChatModels(options),
    );
    const chat = await (await models).of({ name: model, thinking: false, effort: null });
    const startedMs = steadyClock();
    const measure = (end: Pick<FinishedCall, 'outcome' | 'usage'>): void =>
      measureCall({
        ...end,
        model: model ?? modelNames(options.configured)[0] ?? null,
        tookMs: steadyClock() - startedMs,
      });
    try {
      const answer = await chat.invoke(prompt, { signal, tags });
      measure({ outcome: 'ok', usage: answer.usage_metadata ?? null });
      return answer.text;
    } catch (error) {
      measure({ outcome: signal.aborted ? 'stopped' : 'error', usage: null });
      throw error;
    }
  };
}
