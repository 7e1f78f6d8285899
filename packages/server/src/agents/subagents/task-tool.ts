import { ToolMessage } from '@langchain/core/messages';
import { type ToolRunnableConfig, tool } from '@langchain/core/tools';
import { Command, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { z } from 'zod';
import type { Timer } from '../../lib/async/timer.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { requireRunHandle } from '../run-contract/run-handle.ts';
import { toolCallIdOf } from '../tools/tool-call-id.ts';
import { runSubagent } from './run-subagent.ts';
import { type SubagentGraphOptions, subagentGraph } from './subagent-graph.ts';
import type { SubagentSettings, SubagentType } from './subagent-settings.ts';

export const taskToolName = 'task';

export interface TaskToolOptions extends SubagentGraphOptions {
  settings: SubagentSettings;
  timer: Timer;
}

const maxPromptLength = 100_000;

/** Gives a part of the work to a sub-agent, waits for it and returns its result. */
export function taskTool(options: TaskToolOptions) {
  const { types } = options.settings;
  const graphOf = graphs(options);
  return tool(
    async ({ description, prompt, subagent_type: name }, config) => {
      const type = types.find((each) => each.name === name) as SubagentType;
      const taskId = toolCallIdOf(config);
      const { log, timer } = options;
      const run = requireRunHandle(config);
      const task = { type, graph: graphOf(type), taskId, run, description, prompt, timer, log };
      const outcome = await runSubagent(task, config as LangGraphRunnableConfig);
      return answer(outcome, config);
    },
    { name: taskToolName, description: descriptionOf(types), schema: argumentsFor(types) },
  );

  function answer(
    { status, text, artifacts, spent: { usage, modelName } }: Awaited<ReturnType<typeof runSubagent>>,
    config: ToolRunnableConfig,
  ): ToolMessage | Command {
    const message = new ToolMessage({
      content: text,
      name: taskToolName,
      tool_call_id: toolCallIdOf(config),
      status,
      additional_kwargs: {
        ...(usage && { subagent_token_usage: usage }),
        ...(modelName !== undefined && { subagent_model_name: modelName }),
      },
    });
    if (artifacts.length === 0) return message;
    return new Command({ update: { artifacts, messages: [message] } });
  }
}

/** Makes graphs when they are first needed, because most runs need none. */
function graphs(options: SubagentGraphOptions): (type: SubagentType) => AgentGraph {
  const made = new Map<SubagentType, AgentGraph>();
  return (type) => {
    const graph = made.get(type) ?? subagentGraph(type, options);
    made.set(type, graph);
    return graph;
  };
}

function argumentsFor(types: readonly SubagentType[]) {
  return z.object({
    description: z
      .string()
      .min(1)
      .max(200)
      .describe('The part of the work in three to five words, for the user.'),
    prompt: z
      .string()
      .min(1)
      .max(maxPromptLength)
      .describe('All that the sub-agent is told: it knows nothing of this conversation.'),
    subagent_type: z.enum(types.map(({ name }) => name) as [string, ...string[]]),
  });
}

function descriptionOf(types: readonly SubagentType[]): string {
  const list = types.map(({ name, description }) => `- ${name}: ${description}`);
  return [
    'Gives a part of the work to a sub-agent and returns its result. The kinds of sub-agents:',
    ...list,
  ].join('\n');
}
