import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools';
import { Command, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { type AgentMiddleware, createAgent, createMiddleware } from 'langchain';
import { z } from 'zod';
import type { Timer } from '../../lib/async/timer.ts';
import type { Log } from '../../lib/log.ts';
import { DemoModel } from '../demo/demo-model.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { repeatedCalls, withoutCalls } from '../middleware/repeated-calls.ts';
import { type AnsweringModels, answeringModel } from '../models/answering-model.ts';
import { requireRunHandle } from '../run-contract/run-handle.ts';
import { threadState } from '../state/thread-state.ts';
import { askClarificationTool } from '../tools/ask-clarification.ts';
import { toolCallIdOf } from '../tools/tool-call-id.ts';
import { toolErrors } from '../tools/tool-errors.ts';
import { unknownTools } from '../tools/unknown-tools.ts';
import { runSubagent } from './run-subagent.ts';
import type { SubagentSettings, SubagentType } from './subagent-settings.ts';

/** No user answers a sub-agent. The tool that starts sub-agents need not be listed, because the given tools never include it. */
const notForSubagents: ReadonlySet<string> = new Set([askClarificationTool.name]);
const answerNow =
  'This is your last turn. Answer now with what you have, without tools, and say what is missing.';

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

interface SubagentGraphOptions {
  /** The tools of the lead agent. */
  tools: readonly StructuredToolInterface[];
  /** Middleware around the lead agent's tool calls that applies to sub-agents too. */
  middleware: readonly AgentMiddleware[];
  models: AnsweringModels;
  log: Pick<Log, 'warn'>;
}

function subagentGraph(type: SubagentType, options: SubagentGraphOptions): AgentGraph {
  const { models, log, middleware } = options;
  tellMissing(type, options);
  const agent = createAgent({
    name: type.name,
    model: new DemoModel(),
    tools: options.tools.filter(({ name }) => !notForSubagents.has(name)),
    systemPrompt: type.systemPrompt,
    stateSchema: threadState,
    middleware: [
      chosenTools(type),
      lastTurn(type.maxTurns),
      repeatedCalls(),
      answeringModel(models),
      toolErrors(log),
      ...middleware,
      unknownTools(),
    ],
  });
  return agent.graph as unknown as AgentGraph;
}

/** Only logs missing tools: tools of other servers come and go, so a missing one need not be a mistake. */
function tellMissing({ name: subagent, tools: wanted }: SubagentType, options: SubagentGraphOptions): void {
  const { tools, middleware, log } = options;
  const around = middleware.flatMap(({ tools: added = [] }) => added);
  const available = new Set([...tools, ...around].map(({ name }) => name));
  const missing = (wanted ?? []).filter((name) => notForSubagents.has(name) || !available.has(name));
  if (missing.length > 0) log.warn({ subagent, missing }, 'A sub-agent lacks tools that it should have');
}

/** Offers a kind that is configured with tools only those tools, wherever they come from. */
function chosenTools({ name: type, tools }: SubagentType) {
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

/** Makes an agent end after this many answers of its model. */
function lastTurn(maxTurns: number) {
  return createMiddleware({
    name: 'LastTurnMiddleware',
    wrapModelCall: async (call, handler) => {
      const made = call.messages.filter(({ type }) => type === 'ai').length;
      if (made < maxTurns - 1) return handler(call);
      const messages = [...call.messages, new HumanMessage(answerNow)];
      const answer = await handler({ ...call, messages, toolChoice: 'none' });
      return AIMessage.isInstance(answer)
        ? withoutCalls(answer, 'I did not finish within my turns.')
        : answer;
    },
  });
}
