import { ToolMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { placeAmongCalls } from '../middleware/called-tools.ts';
import { outcomeTexts } from './subagent-events.ts';
import { requestedSubagents } from './subagent-settings.ts';
import { type TaskToolOptions, taskTool, taskToolName } from './task-tool.ts';

/** Lets the lead agent give parts of its work to sub-agents, in runs that ask for it. */
export function subagents(options: TaskToolOptions) {
  const { settings } = options;
  return createMiddleware({
    name: 'SubagentMiddleware',
    tools: [taskTool(options)],
    wrapModelCall: (request, handler) => {
      const { isEnabled, atOnce } = requestedSubagents(request.runtime, settings);
      const others = request.tools.filter(({ name }) => name !== taskToolName);
      if (!isEnabled) return handler({ ...request, tools: others });
      // A custom agent may have no sub-agents.
      if (others.length === request.tools.length) return handler(request);
      return handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${guidance(atOnce)}`) });
    },
    wrapToolCall: (request, handler) => {
      const { toolCall, state, runtime } = request;
      if (toolCall.name !== taskToolName) return handler(request);
      const { isEnabled, atOnce } = requestedSubagents(runtime, settings);
      if (!isEnabled) return refusal(toolCall.id, 'this run has no sub-agents.');
      if (placeAmongCalls(toolCall, state.messages) < atOnce) return handler(request);
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

function refusal(callId: string | undefined, reason: string): ToolMessage {
  return new ToolMessage({
    content: outcomeTexts.failed(reason),
    tool_call_id: callId ?? '',
    name: taskToolName,
    status: 'error',
  });
}
