import {
  type BaseMessage,
  type BaseMessageLike,
  getBufferString,
  HumanMessage,
} from '@langchain/core/messages';
import { charactersIn, estimatedTokens } from '../message-text.ts';
import type { AnsweringModels } from '../models/answering-model.ts';
import { askAside, type ModelRuntime } from '../models/middleware-model.ts';

/** Share of a model's window. The rest is for its answer and for the error of our estimate. */
const usableWindow = 0.75;

interface ToSummarise {
  messages: BaseMessage[];
  /** The beginning of the part that stays as it is. */
  cut: number;
  /** Null for the run's own model. */
  model: string | null;
  /** The number of tokens that the model can read. */
  tokens: number;
  runtime: ModelRuntime;
}

/** Returns a summary and the messages after it, or null when no model answers. */
export async function summarised(
  models: AnsweringModels,
  { messages, cut, model, tokens, runtime }: ToSummarise,
): Promise<BaseMessage[] | null> {
  const prompt = promptOf(messages.slice(0, cut), tokens);
  const summary = await askAside(models, { tag: 'middleware:summarize', model, runtime, prompt });
  return summary ? [summaryMessage(summary), ...messages.slice(cut)] : null;
}

/** Returns where the kept part begins. Calls stay with their results, and something must be left to summarise. */
export function cutOf(messages: readonly BaseMessage[], keep: number): number {
  let cut = Math.max(0, messages.length - keep);
  while (cut > 0 && messages[cut]?.type === 'tool') cut -= 1;
  const isOnlySummary = cut === 1 && messages[0]?.additional_kwargs.lc_source === 'summarization';
  return isOnlySummary ? 0 : cut;
}

export function tokensOf(messages: readonly BaseMessage[]): number {
  return estimatedTokens(
    messages.map((message) => ({
      text: message.text,
      calls: (message as { tool_calls?: unknown[] }).tool_calls ?? [],
    })),
  );
}

/** The tokens that a model is sent at most. */
export function maxTokensOf(settings: { tokens: number }, contextWindow: number | null): number {
  const window = contextWindow === null ? Number.POSITIVE_INFINITY : contextWindow * usableWindow;
  return Math.min(settings.tokens, window);
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
