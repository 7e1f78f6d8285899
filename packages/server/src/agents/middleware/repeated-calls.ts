import { randomUUID } from 'node:crypto';
import { AIMessage, type BaseMessage, HumanMessage, type UsageMetadata } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { runHandleOf } from '../run-contract/run-handle.ts';
import { stopKey } from '../run-contract/run-marks.ts';
import { callsOf } from './called-tools.ts';

/** After this many identical calls in a row the model gets a warning. */
const warnAfter = 3;
/** After this many identical calls in a row the model has to answer without tools. */
const stopAfter = 5;

const warning =
  'You have made the same tool calls several times with the same result. Do something else, or answer with what you know.';

const stopped = 'I stopped here: the same tool calls were made again and again.';

/** Stops a model that makes the same tool calls again and again before it reaches the run's limit. */
export function repeatedCalls() {
  return createMiddleware({
    name: 'LoopDetectionMiddleware',
    wrapModelCall: async (request, handler) => {
      const made = repetitions(request.messages);
      if (made < warnAfter) return handler(request);
      const messages = [...request.messages, new HumanMessage(warning)];
      if (made < stopAfter - 1) return handler({ ...request, messages });
      const answer = await handler({ ...request, messages, toolChoice: 'none' });
      if (!AIMessage.isInstance(answer)) return answer;
      const run = runHandleOf(request.runtime);
      return noted(withoutCalls(answer, stopped), run ? { run_id: run.runId, reason: 'loop_capped' } : null);
    },
  });
}

/** Notes the reason in the answer, where the code that ends the run reads it. */
function noted(answer: AIMessage, stop: { run_id: string; reason: string } | null): AIMessage {
  if (stop) answer.additional_kwargs = { ...answer.additional_kwargs, [stopKey]: stop };
  return answer;
}

/** Counts how often the newest tool calls were made in a row since the user's last message. */
export function repetitions(messages: readonly BaseMessage[]): number {
  const begin = messages.findLastIndex(isOfUser) + 1;
  const sets = messages.slice(begin).flatMap((message) => {
    const calls = callsOf(message).map(({ name, args }) => JSON.stringify([name, args]));
    return calls.length > 0 ? [calls.sort().join('\n')] : [];
  });
  const newest = sets.at(-1);
  return newest === undefined ? 0 : sets.length - 1 - sets.findLastIndex((set) => set !== newest);
}

/** A summary takes the place of the user's messages, but the user did not write it. */
function isOfUser({ type, additional_kwargs: extra }: BaseMessage): boolean {
  return type === 'human' && extra.lc_source !== 'summarization';
}

/**
 * Removes the calls of an answer, because some models call tools even when none are offered. `otherwise` replaces an empty text.
 * The result is a new message, because the model's own one is recorded already.
 */
export function withoutCalls(answer: AIMessage, otherwise: string): AIMessage {
  if (callsOf(answer).length === 0) return answer;
  const { tool_calls: _calls, ...extra } = answer.additional_kwargs;
  const fields = {
    id: randomUUID(),
    content: answer.text || otherwise,
    additional_kwargs: extra,
    response_metadata: answer.response_metadata,
    ...(answer.usage_metadata !== undefined && { usage_metadata: answer.usage_metadata as UsageMetadata }),
  };
  return new AIMessage(fields as ConstructorParameters<typeof AIMessage>[0]);
}
