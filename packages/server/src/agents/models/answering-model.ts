import { setTimeout as delay } from 'node:timers/promises';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { createMiddleware } from 'langchain';
import { runHandleOf } from '../run-contract/run-handle.ts';
import type { ChatModels } from './chat-models.ts';
import { traceOptions } from './model-fields.ts';
import { requestedModelOf } from './requested-model.ts';
import { maxAttempts, type RetryReason, retryReason, waitMs } from './retry-rules.ts';

export type AnsweringModels = Pick<ChatModels, 'of' | 'configOf' | 'fallbacksOf'>;

/** Sent in the stream as a `custom` event. */
interface RetryEvent {
  type: 'llm_retry';
  attempt: number;
  max_attempts: number;
  wait_ms: number;
  reason: RetryReason | 'fallback';
  message: string;
}

/**
 * Sends each call to the model that its run has named. A temporary failure is tried again; after that the fallback models are
 * asked.
 */
export function answeringModel(models: AnsweringModels) {
  return createMiddleware({
    name: 'AnsweringModelMiddleware',
    wrapModelCall: async (request, handler) => {
      const { context, configurable, signal } = request.runtime;
      const tell = (event: RetryEvent): void => request.runtime.writer?.(event);
      const requested = requestedModelOf(context, configurable);
      const others = models.fallbacksOf(requested);
      const traceparent = runHandleOf({ configurable })?.traceparent;
      const ask = async (name: string | null) => {
        const model = (await models.of({ ...requested, name })) as BaseChatModel;
        const trace = traceOptions(models.configOf({ name }), traceparent);
        const modelSettings = { ...request.modelSettings, ...trace };
        return persistently(() => handler({ ...request, model, modelSettings }), { signal, tell });
      };
      let asked = ask(requested.name);
      for (const name of others) {
        asked = asked.catch((error: unknown) => {
          if (mustStop(error, signal)) throw error;
          const message = `The model failed; ${name} is asked instead`;
          tell({
            type: 'llm_retry',
            attempt: 1,
            max_attempts: maxAttempts,
            wait_ms: 0,
            reason: 'fallback',
            message,
          });
          return ask(name);
        });
      }
      return asked;
    },
  });
}

async function persistently<Answer>(
  ask: () => Answer | Promise<Answer>,
  { signal, tell }: { signal: AbortSignal | undefined; tell: (event: RetryEvent) => void },
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const reason = mustStop(error, signal) ? null : retryReason(error);
      if (reason === null || attempt === maxAttempts) throw error;
      const wait_ms = waitMs(error, attempt);
      const message = `${texts[reason]}; attempt ${attempt + 1} of ${maxAttempts} follows`;
      tell({ type: 'llm_retry', attempt, max_attempts: maxAttempts, wait_ms, reason, message });
      await delay(wait_ms, undefined, signal && { signal });
    }
  }
}

const texts: Record<RetryReason, string> = {
  rate_limited: 'The model has too much to do',
  unavailable: 'The model cannot answer now',
  connection: 'The model cannot be reached',
};

/** Returns true when the run was stopped or the graph waits for a human. */
export function mustStop(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true || (error as { is_bubble_up?: unknown } | null)?.is_bubble_up === true;
}
