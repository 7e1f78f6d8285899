import { ToolMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import type { SubagentType } from './subagent-settings.ts';

/** Offers a kind that is configured with tools only those tools, wherever they come from. */
export function chosenTools({ name: type, tools }: SubagentType) {
  const isChosen = (name: unknown): boolean => tools === null || tools.some((chosen) => chosen === name);
  return createMiddleware({
    name: 'ChosenToolsMiddleware',
    wrapModelCall: (request, handler) =>
      handler({ ...request, tools: request.tools.filter(({ name }) => isChosen(name)) }),
    wrapToolCall: (request, handler) => {
      const { id = '', name } = request.toolCall;
      if (isChosen(name)) return handler(request);
      const content = `Error: The sub-agent '${type}' does not have the tool '${name}'.`;
      return new ToolMessage({ content, tool_call_id: id, name, status: 'error' });
    },
  });
}
