import { ToolMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';

/**
 * Answers calls of tools that do not exist. LangChain would answer with the names of all tools of the graph, including those that
 * this run does not have.
 */
export function unknownTools() {
  return createMiddleware({
    name: 'UnknownToolsMiddleware',
    wrapToolCall: (request, handler) => {
      const { toolCall, tool } = request;
      if (tool) return handler(request);
      return new ToolMessage({
        content: `Error: There is no tool '${toolCall.name}'. Use those that you were offered, or do without.`,
        tool_call_id: toolCall.id ?? '',
        name: toolCall.name,
        status: 'error',
      });
    },
  });
}
