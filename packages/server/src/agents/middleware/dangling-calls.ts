import { type BaseMessage, RemoveMessage, ToolMessage } from '@langchain/core/messages';
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import { callsOf } from './called-tools.ts';

/**
 * A run that was stopped leaves tool calls without a result, which providers refuse. The next run begins with what came of
 * them.
 */
export function danglingCalls() {
  return createMiddleware({
    name: 'DanglingCallsMiddleware',
    beforeAgent: ({ messages }) => {
      const repaired = withResults(messages);
      if (repaired.length === messages.length) return;
      return { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...repaired] };
    },
  });
}

/** Each call is followed by its result; one that has none gets an error. */
export function withResults(messages: readonly BaseMessage[]): BaseMessage[] {
  const answered = new Set(
    messages.flatMap((message) => (ToolMessage.isInstance(message) ? [message.tool_call_id] : [])),
  );
  return messages.flatMap((message) => {
    const missing = callsOf(message).filter(({ id }) => id !== undefined && !answered.has(id));
    return [message, ...missing.map(({ id = '', name }) => interrupted(id, name))];
  });
}

function interrupted(id: string, name: string): ToolMessage {
  return new ToolMessage({
    id: `interrupted-${id}`,
    tool_call_id: id,
    name,
    status: 'error',
    content: `Error: Tool '${name}' was interrupted and gave no result.`,
  });
}
