import type { BaseMessage } from '@langchain/core/messages';
import { cutOf, maxTokensOf, summarised, tokensOf } from '../middleware/conversation-summary.ts';
import { inPlaceOfAll, withResults } from '../middleware/dangling-calls.ts';
import type { SummarizationSettings } from '../middleware/summarization.ts';
import type { AnsweringModels } from '../models/answering-model.ts';

/** The newest part of a conversation that stays as it is. */
export interface KeptPart {
  type: 'messages' | 'tokens' | 'fraction';
  value: number;
}

export interface CompactionRequest {
  /** Null keeps the part that the settings name. */
  keep: KeptPart | null;
  /** Compacts also a conversation that is not long. */
  isForced: boolean;
  /** Null for the default. */
  model: string | null;
}

export interface CompactedMessages {
  removed: number;
  preserved: number;
  totalTokens: number;
  /** The change of the state; null when the conversation stays as it is. */
  update: { messages: BaseMessage[] } | null;
}

/** Summarises older messages as the lead agent would in a long conversation. Throws when no model does it. */
export async function compactMessages(
  saved: readonly BaseMessage[],
  { keep, isForced, model }: CompactionRequest,
  { models, settings }: { models: AnsweringModels; settings: SummarizationSettings },
): Promise<CompactedMessages> {
  const messages = withResults(saved);
  const window = models.configOf({ name: settings.model ?? model })?.context_window ?? null;
  const tokens = maxTokensOf(settings, window);
  const isLong = messages.length >= settings.messages || tokensOf(messages) >= tokens;
  const kept = keep ? keptOf(messages, keep, window ?? settings.tokens) : settings.keep;
  const cut = isForced || isLong ? cutOf(messages, kept) : 0;
  if (cut === 0) return { removed: 0, preserved: saved.length, totalTokens: tokensOf(saved), update: null };
  const runtime = { context: { model_name: model } };
  const made = await summarised(models, { messages, cut, model: settings.model, tokens, runtime });
  if (!made) throw new Error('The model wrote no summary.');
  return {
    removed: cut,
    preserved: messages.length - cut,
    totalTokens: tokensOf(made),
    update: { messages: inPlaceOfAll(made) },
  };
}

/** Returns how many messages at the end belong to the part. */
function keptOf(messages: readonly BaseMessage[], { type, value }: KeptPart, window: number): number {
  if (type === 'messages') return Math.ceil(value);
  let left = type === 'tokens' ? value : value * window;
  const first = messages.findLastIndex((message) => {
    left -= tokensOf([message]);
    return left < 0;
  });
  return messages.length - 1 - first;
}
