import type { BaseMessageLike } from '@langchain/core/messages';
import { z } from 'zod';
import { deadline } from '../../lib/async/deadline.ts';
import { runHandleOf } from '../run-contract/run-handle.ts';
import type { AnsweringModels } from './answering-model.ts';
import { traceOptions } from './model-fields.ts';
import { requestedModelOf } from './requested-model.ts';

/** The part of a run's context that middleware reads. A client may have put any value there. */
export const modelContext = z.object({ model_name: z.unknown().optional() });

/** The run around a call of the model, as far as middleware knows it. */
export interface ModelRuntime {
  context?: unknown;
  configurable?: Record<string, unknown> | undefined;
  signal?: AbortSignal | undefined;
}

const maxCallMs = 60_000;

/**
 * Asks a model for the gateway's own purposes: outside of the message stream, without thinking, and counted under its tag.
 * Returns null when there is only the demo model, which cannot help here.
 */
export async function askAside(
  models: AnsweringModels,
  call: {
    tag: `middleware:${string}`;
    /** A model of the configuration; null for the run's own model. */
    model: string | null;
    runtime: ModelRuntime;
    prompt: BaseMessageLike[];
  },
): Promise<string | null> {
  const { tag, runtime, prompt } = call;
  const name = call.model ?? requestedModelOf(runtime.context, runtime.configurable).name;
  const config = models.configOf({ name });
  if (!config) return null;
  const model = await models.of({ name, thinking: false, effort: null });
  const trace = traceOptions(config, runHandleOf(runtime)?.traceparent);
  const { signal } = deadline(maxCallMs, runtime.signal);
  const answer = await model.invoke(prompt, { ...trace, tags: [tag, 'nostream'], signal });
  return answer.text.trim();
}
