import type { BaseMessageLike } from '@langchain/core/messages';
import { z } from 'zod';
import type { AnsweringModels } from './answering-model.ts';
import { wishOf } from './model-wish.ts';

/** What middleware needs to see of a run's context, whatever a client has put there. */
export const wishContext = z.object({ model_name: z.unknown().optional() });

const longestCallMs = 60_000;

/**
 * Asks a model for the gateway's own purposes: outside of the message stream, without thinking, counted under its tag.
 * Null where only the demo model is there, which has nothing to say.
 */
export async function askAside(
  models: AnsweringModels,
  call: {
    tag: `middleware:${string}`;
    /** Of the configuration; the run's own model otherwise. */
    model: string | null;
    runtime: { context?: unknown; configurable?: unknown; signal?: AbortSignal | undefined };
    prompt: BaseMessageLike[];
  },
): Promise<string | null> {
  const { tag, runtime, prompt } = call;
  const name = call.model ?? wishOf(runtime.context, runtime.configurable).name;
  if (!models.configOf({ name })) return null;
  const model = await models.of({ name, thinking: false, effort: null });
  const signals = [AbortSignal.timeout(longestCallMs), ...(runtime.signal ? [runtime.signal] : [])];
  const answer = await model.invoke(prompt, { tags: [tag, 'nostream'], signal: AbortSignal.any(signals) });
  return answer.text.trim();
}
