import { setTimeout as delay } from 'node:timers/promises';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { createMiddleware } from 'langchain';
import type { ChatModels } from './chat-models.ts';
import { wishOf } from './model-wish.ts';
import { mostAttempts, type RetryReason, retryReason, waitMs } from './retry-rules.ts';

export type AnsweringModels = Pick<ChatModels, 'of' | 'configOf' | 'fallbacksOf'>;

/** In the stream, as a `custom` event. */
interface RetryEvent {
  type: 'llm_retry';
  attempt: number;
  max_attempts: number;
  wait_ms: number;
  reason: RetryReason | 'fallback';
  message: string;
}

/** Each call goes to the model that its run has named; what fails in passing is tried again, then its fallback asked. */
export function answeringModel(models: AnsweringModels) {
  return createMiddleware({
    name: 'AnsweringModelMiddleware',
    wrapModelCall: async (request, handler) => {
      const { context, configurable, signal } = request.runtime;
      const tell = (event: RetryEvent): void => request.runtime.writer?.(event);
      const wish = wishOf(context, configurable);
      const others = models.fallbacksOf(wish);
      const ask = async (name: string | null) => {
        const model = await models.of({ ...wish, name });
        return persistently(() => handler({ ...request, model: model as BaseChatModel }), { signal, tell });
      };
      let asked = ask(wish.name);
      for (const name of others) {
        asked = asked.catch((error: unknown) => {
          if (mustStop(error, signal)) throw error;
          const message = `The model failed; ${name} is asked instead`;
          tell({
            type: 'llm_retry',
            attempt: 1,
            max_attempts: mostAttempts,
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

interface Surroundings {
  signal: AbortSignal | undefined;
  tell: (event: RetryEvent) => void;
}

async function persistently<Answer>(
  ask: () => Answer | Promise<Answer>,
  { signal, tell }: Surroundings,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const reason = mustStop(error, signal) ? null : retryReason(error);
      if (reason === null || attempt === mostAttempts) throw error;
      const wait_ms = waitMs(error, attempt);
      const message = `${texts[reason]}; attempt ${attempt + 1} of ${mostAttempts} follows`;
      tell({ type: 'llm_retry', attempt, max_attempts: mostAttempts, wait_ms, reason, message });
      await delay(wait_ms, undefined, signal && { signal });
    }
  }
}

const texts: Record<RetryReason, string> = {
  rate_limited: 'The model has too much to do',
  unavailable: 'The model cannot answer now',
  connection: 'The model cannot be reached',
};

/** The run was stopped, or the graph waits for a human. */
export function mustStop(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true || (error as { is_bubble_up?: unknown } | null)?.is_bubble_up === true;
}
