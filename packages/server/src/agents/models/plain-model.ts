import type { AIMessageChunk, BaseMessageLike, UsageMetadata } from '@langchain/core/messages';
import { AppError } from '../../lib/app-error.ts';
import { steadyClock } from '../../lib/clock.ts';
import { once } from '../../lib/once.ts';
import { loadLangchain } from '../langchain.ts';
import type { FinishedCall } from '../run-contract/agent-run.ts';
import type { ChatModelsOptions } from './chat-models.ts';
import type { MeasureCall } from './model-metrics.ts';
import { type ReasoningEffort, reasoningEfforts } from './requested-model.ts';
import { retryReason, waitMs } from './retry-rules.ts';

/** One call of a configured model, without an agent. */
export interface PlainCall {
  model: string;
  messages: readonly object[];
  /** In the form of chat completions. */
  tools: readonly object[];
  effort: string | null;
  /** Under the names of LangChain's classes: `temperature`, `topP`, `maxTokens`, … */
  settings: Record<string, unknown>;
  /** Options of the single call: `stop`, `tool_choice`, `seed`, … */
  options: Record<string, unknown>;
  signal: AbortSignal;
}

/** A piece of the answer in LangChain's form. */
export interface PlainPiece
  extends Pick<AIMessageChunk, 'content' | 'additional_kwargs' | 'tool_call_chunks' | 'response_metadata'> {
  usage_metadata: UsageMetadata | undefined;
}

export type AskPlainly = (call: PlainCall) => AsyncGenerator<PlainPiece, void, undefined>;

/** Asks models as callers ask them, outside of any run. LangChain is loaded with the first call. */
export function plainModels({
  measureCall,
  ...options
}: ChatModelsOptions & { measureCall: MeasureCall }): AskPlainly {
  const loaded = once(() =>
    loadLangchain(async () => {
      const { ChatModels } = await import('./chat-models.ts');
      return new ChatModels(options);
    }),
  );
  return async function* ({ model, messages, tools, effort, settings, options: further, signal }) {
    const known: ReasoningEffort | null = reasoningEfforts.find((each) => each === effort) ?? null;
    const requested = { name: model, thinking: known !== null && known !== 'minimal', effort: known };
    const chat = await (await loaded()).forCall(requested, settings);
    const asked = tools.length > 0 ? chat.bindTools?.([...tools]) : chat;
    if (!asked) throw new AppError('model_unavailable', { message: `The model ${model} takes no tools.` });
    const startedMs = steadyClock();
    let usage: UsageMetadata | null = null;
    let outcome: FinishedCall['outcome'] = 'stopped';
    try {
      const given = { ...further, signal };
      for await (const chunk of await asked.stream(messages as BaseMessageLike[], given)) {
        const piece = chunk as AIMessageChunk & { usage_metadata: UsageMetadata | undefined };
        usage = piece.usage_metadata ?? usage;
        yield piece;
      }
      outcome = 'ok';
    } catch (error) {
      if (signal.aborted) throw error;
      outcome = 'error';
      throw failureOf(error, model);
    } finally {
      measureCall({ model, outcome, usage, tookMs: steadyClock() - startedMs });
    }
  };
}

/** The provider's own words go to the caller only where it refuses the request, since they may name what is inside otherwise. */
function failureOf(error: unknown, model: string): AppError {
  if (error instanceof AppError) return error;
  const { status, message } = error as { status?: unknown; message?: unknown };
  if (status === 429)
    return new AppError('rate_limited', {
      message: `The model ${model} has too much to do. Try again later.`,
      retryAfterSeconds: waitMs(error, 1) / 1_000,
      cause: error,
    });
  if (status === 400 || status === 413 || status === 422)
    return new AppError('validation_failed', {
      message: `The model ${model} refuses the request: ${String(message)}`,
      cause: error,
    });
  const why = retryReason(error) === null ? 'failed' : 'cannot be reached or is overloaded';
  return new AppError('model_unavailable', {
    message: `The model ${model} ${why}. The log has the reason.`,
    cause: error,
  });
}
