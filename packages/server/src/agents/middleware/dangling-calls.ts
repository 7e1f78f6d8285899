import { type BaseMessage, RemoveMessage, ToolMessage } from '@langchain/core/messages';
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import { stoppedMark } from '../stopped-mark.ts';
import { callsOf } from './called-tools.ts';

/**
 * Adds a result to tool calls that a stopped run left without one, because providers refuse such calls. The next run then begins
 * with what happened to them.
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

/** Puts a result behind each call; a call that has none gets an error. */
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
    additional_kwargs: { ...stoppedMark },
    content: `Error: Tool '${name}' was interrupted and gave no result.`,
  });
}
