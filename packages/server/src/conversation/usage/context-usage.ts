import type { ContextUsage } from '@switchyard/contract/conversation/run-events';
import { estimatedTokens, type MessageContent, messageText } from '../../agents/message-text.ts';
import type { ModelConfig } from '../../config/models.ts';

/** Returns how much of the model's window the messages of a thread take; null for a thread without a state. */
export function contextUsageOf({
  threads,
  modelOf,
  models,
}: {
  /** The latest state of a thread, as text. */
  threads: { snapshot(threadId: string): Promise<{ values: string } | undefined> };
  /** The model of the thread's newest run; null when no run has called one. */
  modelOf: (threadId: string) => Promise<string | null>;
  models: readonly Pick<ModelConfig, 'name' | 'context_window'>[];
}) {
  return async (threadId: string): Promise<ContextUsage | null> => {
    const snapshot = await threads.snapshot(threadId);
    if (!snapshot) return null;
    const { messages } = JSON.parse(snapshot.values) as { messages?: unknown };
    const token_count = estimatedTokens(Array.isArray(messages) ? messages.map(lengthsOf) : []);
    const used = await modelOf(threadId);
    const model = models.find(({ name }) => name === used) ?? models[0];
    const max_context_tokens = model?.context_window ?? null;
    const percentage = max_context_tokens && Math.round((token_count / max_context_tokens) * 1000) / 10;
    return { token_count, max_context_tokens, percentage };
  };
}

/** A state may hold anything under `messages`. */
function lengthsOf(message: unknown): { text: string; calls: readonly unknown[] } {
  const { content, tool_calls: calls } = (message ?? {}) as {
    content?: MessageContent;
    tool_calls?: unknown;
  };
  return { text: messageText(content), calls: Array.isArray(calls) ? calls : [] };
}
