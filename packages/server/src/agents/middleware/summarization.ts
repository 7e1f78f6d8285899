import {
  type BaseMessage,
  type BaseMessageLike,
  getBufferString,
  HumanMessage,
} from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import { charactersIn, estimatedTokens } from '../estimated-tokens.ts';
import type { AnsweringModels } from '../models/answering-model.ts';
import { askAside, type ModelRuntime, modelContext } from '../models/middleware-model.ts';
import { requestedModelOf } from '../models/requested-model.ts';
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

/** Share of a model's window. The rest is for its answer and for the error of our estimate. */
const usableWindow = 0.75;

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
    const limits = limitsOf(settings, models.configOf(requested)?.context_window ?? null);
    if (messages.length < limits.messages && tokensOf(messages) < limits.tokens) return null;
    const cut = cutOf(messages, settings.keep);
    if (cut === 0) return null;
    try {
      const prompt = promptOf(messages.slice(0, cut), limits.tokens);
      const { model } = settings;
      const summary = await askAside(models, { tag: 'middleware:summarize', model, runtime, prompt });
      return summary ? [summaryMessage(summary), ...messages.slice(cut)] : null;
    } catch (error) {
      if (runtime.signal?.aborted) throw error;
      log.warn({ err: error }, 'A conversation could not be summarised; it goes on as it is');
      return null;
    }
  }
}

/** Returns where the kept part begins. Calls stay with their results, and something must be left to summarise. */
function cutOf(messages: readonly BaseMessage[], keep: number): number {
  let cut = Math.max(0, messages.length - keep);
  while (cut > 0 && messages[cut]?.type === 'tool') cut -= 1;
  const isOnlySummary = cut === 1 && messages[0]?.additional_kwargs.lc_source === 'summarization';
  return isOnlySummary ? 0 : cut;
}

function tokensOf(messages: readonly BaseMessage[]): number {
  return estimatedTokens(
    messages.map((message) => ({
      text: message.text,
      calls: (message as { tool_calls?: unknown[] }).tool_calls ?? [],
    })),
  );
}

function limitsOf(
  settings: SummarizationSettings,
  contextWindow: number | null,
): { tokens: number; messages: number } {
  const window = contextWindow === null ? Number.POSITIVE_INFINITY : contextWindow * usableWindow;
  return { tokens: Math.min(settings.tokens, window), messages: settings.messages };
}

/** Returns the newest part of the messages when all of them would be too long for the model. */
function promptOf(messages: BaseMessage[], tokens: number): BaseMessageLike[] {
  const ask =
    'Summarise this conversation for yourself, who will go on with it and see nothing else of it: what the user wants, ' +
    'facts and names, what was done with which results, files with their paths, what is still open. Answer with the summary alone.';
  const conversation = getBufferString(messages).slice(-charactersIn(tokens));
  return [['user', `${ask}\n\n<conversation>\n${conversation}\n</conversation>`]];
}

function summaryMessage(summary: string): HumanMessage {
  return new HumanMessage({
    name: 'summary',
    content: `Here is a summary of the conversation to date:\n\n${summary}`,
    additional_kwargs: { lc_source: 'summarization', hide_from_ui: true },
  });
}
