import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import { z } from 'zod';
import { todo } from '../state/thread-state.ts';

const toolName = 'write_todos';
const maxTodos = 100;

const guidance =
  `For work of three steps and more keep a list with ${toolName}: write it first, mark a step in_progress before you ` +
  'begin it and completed as soon as it is done. Leave the list out for anything shorter.';

/** In plan mode the agent keeps a to-do list. Each call of its tool replaces the whole list. */
export function planTodos() {
  return createMiddleware({
    name: 'TodoListMiddleware',
    tools: [writeTodos],
    wrapModelCall: (request, handler) => {
      if (isPlanMode(request.runtime)) {
        return handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${guidance}`) });
      }
      return handler({ ...request, tools: request.tools.filter(({ name }) => name !== toolName) });
    },
    wrapToolCall: (request, handler) => {
      const { toolCall, runtime } = request;
      if (toolCall.name !== toolName || isPlanMode(runtime)) return handler(request);
      return new ToolMessage({
        content: `Error: Tool '${toolName}' was refused: this run is not in plan mode. Go on without a list.`,
        tool_call_id: toolCall.id ?? '',
        name: toolName,
        status: 'error',
      });
    },
  });
}

const writeTodos = tool(
  ({ todos }, { toolCall }) => {
    const message = new ToolMessage({
      content: 'The list is written.',
      tool_call_id: toolCall?.id ?? '',
      name: toolName,
      status: 'success',
    });
    return new Command({ update: { todos, messages: [message] } });
  },
  {
    name: toolName,
    description: 'Replaces the list of what there is to do, which the user sees.',
    schema: z.object({ todos: z.array(todo).max(maxTodos) }),
  },
);

function isPlanMode({ context, configurable }: { context?: unknown; configurable?: unknown }): boolean {
  const said = { ...(configurable as object | undefined), ...(context as object | undefined) };
  return 'is_plan_mode' in said && said.is_plan_mode === true;
}
