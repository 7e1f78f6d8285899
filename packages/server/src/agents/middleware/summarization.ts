import type { BaseMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import type { AnsweringModels } from '../models/answering-model.ts';
import { type ModelRuntime, modelContext } from '../models/middleware-model.ts';
import { requestedModelOf } from '../models/requested-model.ts';
import { cutOf, maxTokensOf, summarised, tokensOf } from './conversation-summary.ts';
import { replacing, withResults } from './dangling-calls.ts';

export interface SummarizationSettings {
  enabled: boolean;
  /** Null for the run's own model. */
  model: string | null;
  /** A conversation is summarised when it reaches this length, in tokens or in messages. */
  tokens: number;
  messages: number;
  /** Number of newest messages that stay as they are. */
  keep: number;
}

/**
 * Limits what a model is sent: a summary replaces older messages of the state. The journal has all messages, so people still see
 * the whole conversation. When no summary can be made the state stays as it is.
 */
export function summarization(
  models: AnsweringModels,
  { settings, log }: { settings: SummarizationSettings; log: Pick<Log, 'warn'> },
) {
  return createMiddleware({
    name: 'SummarizationMiddleware',
    contextSchema: modelContext,
    wrapModelCall: async (request, handler) => {
      const messages = await shortened(withResults(request.messages), request.runtime);
      if (messages === null) return handler(request);
      return replacing(messages, await handler({ ...request, messages }));
    },
  });

  /** Returns a summary and the messages after it, or null when the conversation stays as it is. */
  async function shortened(messages: BaseMessage[], runtime: ModelRuntime): Promise<BaseMessage[] | null> {
    const requested = requestedModelOf(runtime.context, runtime.configurable);
    const tokens = maxTokensOf(settings, models.configOf(requested)?.context_window ?? null);
    if (messages.length < settings.messages && tokensOf(messages) < tokens) return null;
    const cut = cutOf(messages, settings.keep);
    if (cut === 0) return null;
    try {
      const { model } = settings;
      return await summarised(models, { messages, cut, model, tokens, runtime });
    } catch (error) {
      if (runtime.signal?.aborted) throw error;
      log.warn({ err: error }, 'A conversation could not be summarised; it goes on as it is');
      return null;
    }
  }
}
