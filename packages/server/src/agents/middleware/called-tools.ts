import type { BaseMessage } from '@langchain/core/messages';

export interface CalledTool {
  id?: string;
  name: string;
  args: unknown;
}

/** The tools that a message calls, in their order; none where it is not a model's. */
export function callsOf(message: BaseMessage): readonly CalledTool[] {
  return message.type === 'ai' ? ((message as { tool_calls?: CalledTool[] }).tool_calls ?? []) : [];
}

/**
 * Which of the calls of this tool that were made together it is, from 0. Told from the messages, so that a call that is
 * repeated after a crash is the same one.
 */
export function placeAmongCalls(
  { name, id }: { name: string; id?: string | undefined },
  messages: readonly BaseMessage[],
): number {
  const asking = messages.findLast(({ type }) => type === 'ai');
  const calls = asking ? callsOf(asking).filter((call) => call.name === name) : [];
  return calls.findIndex((call) => call.id === id);
}
