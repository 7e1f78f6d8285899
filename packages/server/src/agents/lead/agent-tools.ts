import { ToolMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import type { ExternalTool } from '../tools/external-tool.ts';
import { hasTool, serversOf } from '../tools/tool-groups.ts';
import type { WorkingAgents } from '../working-agent.ts';

/** Offers an agent with tool groups only the tools of those groups. A call of any other tool is refused. */
export function agentTools(working: WorkingAgents, extraTools: readonly ExternalTool[]) {
  const servers = serversOf(extraTools);
  return createMiddleware({
    name: 'AgentToolsMiddleware',
    wrapModelCall: async (request, handler) => {
      const agent = await working.of(request.runtime);
      if (!agent || agent.tool_groups === null) return handler(request);
      const { tool_groups: groups } = agent;
      const tools = request.tools.filter(({ name }) => hasTool(groups, String(name), servers));
      return handler({ ...request, tools });
    },
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime } = request;
      const agent = await working.of(runtime);
      if (!agent || hasTool(agent.tool_groups, toolCall.name, servers)) return handler(request);
      return new ToolMessage({
        content: `Error: The agent '${agent.name}' does not have the tool '${toolCall.name}'.`,
        tool_call_id: toolCall.id ?? '',
        name: toolCall.name,
        status: 'error',
      });
    },
  });
}
