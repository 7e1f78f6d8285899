import { type AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { callsOf } from '../dangling-calls.ts';
import { outcomeTexts } from './subagent-events.ts';
import { subagentWish } from './subagent-settings.ts';
import { type TaskToolOptions, taskTool, taskToolName } from './task-tool.ts';

/** The lead agent gives parts of its work away, in runs that want it so. */
export function subagents(options: TaskToolOptions) {
  const { settings } = options;
  return createMiddleware({
    name: 'SubagentMiddleware',
    tools: [taskTool(options)],
    wrapModelCall: (request, handler) => {
      const { isEnabled, atOnce } = subagentWish(request.runtime, settings);
      const others = request.tools.filter(({ name }) => name !== taskToolName);
      if (!isEnabled) return handler({ ...request, tools: others });
      // A custom agent may go without.
      if (others.length === request.tools.length) return handler(request);
      return handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${guidance(atOnce)}`) });
    },
    wrapToolCall: (request, handler) => {
      const { toolCall, state, runtime } = request;
      if (toolCall.name !== taskToolName) return handler(request);
      const { isEnabled, atOnce } = subagentWish(runtime, settings);
      if (!isEnabled) return refusal(toolCall.id, 'this run has no sub-agents.');
      if (placeOf(toolCall.id, state.messages) < atOnce) return handler(request);
      return refusal(
        toolCall.id,
        `at most ${atOnce} sub-agents work at the same time, and this one was not started. Ask for it again once the others are done.`,
      );
    },
  });
}

function guidance(atOnce: number): string {
  return (
    `Work that falls into parts which do not need each other you can give to sub-agents with ${taskToolName}: at most ` +
    `${atOnce} calls in one answer, all of which work at the same time. Do small things yourself, and put together what they came to.`
  );
}

/** Which of the sub-agents that were asked for together it is. Told from the messages, so that a repeated call is the same one. */
function placeOf(callId: string | undefined, messages: readonly BaseMessage[]): number {
  const asking = messages.findLast((message): message is AIMessage => message.type === 'ai');
  const calls = asking ? callsOf(asking).filter(({ name }) => name === taskToolName) : [];
  return calls.findIndex(({ id }) => id === callId);
}

function refusal(callId: string | undefined, reason: string): ToolMessage {
  return new ToolMessage({
    content: outcomeTexts.failed(reason),
    tool_call_id: callId ?? '',
    name: taskToolName,
    status: 'error',
  });
}
