import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createMiddleware } from 'langchain';
import { z } from 'zod';
import { requireRunHandle } from '../run-contract/run-handle.ts';
import { agentNameOf, isSetUp, type UserAgents } from '../working-agent.ts';

export const setupToolName = 'setup_agent';

const guidance = (name: string) =>
  `The user is setting up an agent of their own, called "${name}". Find out what it is for and how it should work, with ` +
  `few questions at a time. Once they agree, call ${setupToolName}, and tell them what you have written.`;

/**
 * Adds the tool for setting up an agent. A run with `is_bootstrap` in its context creates or changes the agent that it names, in
 * a conversation with the user.
 */
export function agentSetup(setUp: NonNullable<UserAgents['setUp']>) {
  return createMiddleware({
    name: 'AgentSetupMiddleware',
    tools: [setupTool(setUp)],
    wrapModelCall: (request, handler) => {
      const name = nameToSetUp(request.runtime);
      if (name === null) {
        return handler({ ...request, tools: request.tools.filter((each) => each.name !== setupToolName) });
      }
      return handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${guidance(name)}`) });
    },
    wrapToolCall: ({ toolCall, ...request }, handler) => {
      const isRefused = toolCall.name === setupToolName && nameToSetUp(request.runtime) === null;
      if (!isRefused) return handler({ toolCall, ...request });
      return new ToolMessage({
        content: 'Error: This run does not set up an agent.',
        tool_call_id: toolCall.id ?? '',
        name: setupToolName,
        status: 'error',
      });
    },
  });
}

function setupTool(setUp: NonNullable<UserAgents['setUp']>) {
  return tool(
    async ({ description, soul }, config) => {
      const name = agentNameOf(config) ?? '';
      const handle = requireRunHandle(config);
      await handle.beforeActing();
      await setUp({ userId: handle.userId, name }, { description, soul });
      return `The agent '${name}' is set up. It works in the next run that names it.`;
    },
    {
      name: setupToolName,
      description: 'Writes the agent that the user is setting up. What was written before is replaced.',
      schema: z.object({
        description: z.string().max(2_000).describe('What it is for, in one sentence.'),
        soul: z
          .string()
          .min(1)
          .max(32_768)
          .describe('Who it is and how it works, in Markdown, addressed to it.'),
      }),
    },
  );
}

function nameToSetUp(run: Parameters<typeof isSetUp>[0]): string | null {
  return isSetUp(run) ? agentNameOf(run) : null;
}
