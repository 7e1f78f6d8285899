import { randomUUID } from 'node:crypto';
import { AIMessage, type BaseMessage, HumanMessage, type UsageMetadata } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { stopKey } from '../run-failure.ts';
import { runHandleOf } from '../run-handle.ts';
import { callsOf } from './called-tools.ts';

/** So often in a row the same calls are a warning to the model; */
const warnAfter = 3;
/** and so often it has to answer without tools. */
const stopAfter = 5;

const warning =
  'You have made the same tool calls several times with the same result. Do something else, or answer with what you know.';

const stopped = 'I stopped here: the same tool calls were made again and again.';

/** A model that makes the same tool calls again and again is stopped before the run's limit is. */
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

/** For whoever ends the run. */
function noted(answer: AIMessage, stop: { run_id: string; reason: string } | null): AIMessage {
  if (stop) answer.additional_kwargs = { ...answer.additional_kwargs, [stopKey]: stop };
  return answer;
}

/** How often the newest tool calls were made in a row, since the user spoke. */
export function repetitions(messages: readonly BaseMessage[]): number {
  const begin = messages.findLastIndex(isOfUser) + 1;
  const sets = messages.slice(begin).flatMap((message) => {
    const calls = callsOf(message).map(({ name, args }) => JSON.stringify([name, args]));
    return calls.length > 0 ? [calls.sort().join('\n')] : [];
  });
  const newest = sets.at(-1);
  return newest === undefined ? 0 : sets.length - 1 - sets.findLastIndex((set) => set !== newest);
}

/** A summary stands where the user's words were. */
function isOfUser({ type, additional_kwargs: extra }: BaseMessage): boolean {
  return type === 'human' && extra.lc_source !== 'summarization';
}

/**
 * Some models call tools also where they may not. `otherwise` stands for an answer without words. It is another message than
 * the one that the model gave, which is recorded already.
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
