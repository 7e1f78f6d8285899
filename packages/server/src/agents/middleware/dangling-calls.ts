import { AIMessage, type BaseMessage, RemoveMessage, ToolMessage } from '@langchain/core/messages';
import { Command, REMOVE_ALL_MESSAGES } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import { stoppedMark } from '../run-contract/run-marks.ts';
import { callsOf } from './called-tools.ts';

/**
 * Adds a result to tool calls that a stopped run left without one, because providers refuse such calls. It works around the call
 * of the model: a hook before it would be a step of its own, with a checkpoint, in every turn.
 */
export function danglingCalls() {
  return createMiddleware({
    name: 'DanglingCallsMiddleware',
    wrapModelCall: async (request, handler) => {
      const messages = withResults(request.messages);
      if (messages.length === request.messages.length) return handler(request);
      return replacing(messages, await handler({ ...request, messages }));
    },
  });
}

/** Returns the change that puts these messages and the answer in the place of all messages of the state. */
export function replacing(messages: readonly BaseMessage[], answer: AIMessage | Command): Command {
  const answers = AIMessage.isInstance(answer) ? [answer] : [];
  return new Command({ update: { messages: inPlaceOfAll([...messages, ...answers]) } });
}

/** Returns the change of the messages that puts these in the place of all. */
export function inPlaceOfAll(messages: readonly BaseMessage[]): BaseMessage[] {
  return [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...messages];
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
