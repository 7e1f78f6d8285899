import type { BaseMessage } from '@langchain/core/messages';

export interface CalledTool {
  id?: string;
  name: string;
  args: unknown;
}

/** Returns the tools that a message calls, in their order; none when a model did not write it. */
export function callsOf(message: BaseMessage): readonly CalledTool[] {
  return message.type === 'ai' ? ((message as { tool_calls?: CalledTool[] }).tool_calls ?? []) : [];
}

/**
 * Returns the position of a call among the calls of this tool in one answer, from 0. It is read from the messages, so a call that
 * is repeated after a crash gets the same position.
 */
export function placeAmongCalls(
  { name, id }: { name: string; id?: string | undefined },
  messages: readonly BaseMessage[],
): number {
  const asking = messages.findLast(({ type }) => type === 'ai');
  const calls = asking ? callsOf(asking).filter((call) => call.name === name) : [];
  return calls.findIndex((call) => call.id === id);
}
