import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { type AgentMiddleware, createAgent, createMiddleware } from 'langchain';
import type { Log } from '../../lib/log.ts';
import { DemoModel } from '../demo/demo-model.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { repeatedCalls, withoutCalls } from '../middleware/repeated-calls.ts';
import { type AnsweringModels, answeringModel } from '../models/answering-model.ts';
import { threadState } from '../state/thread-state.ts';
import { askClarificationTool } from '../tools/ask-clarification.ts';
import { toolErrors } from '../tools/tool-errors.ts';
import { unknownTools } from '../tools/unknown-tools.ts';
import type { SubagentType } from './subagent-settings.ts';

export interface SubagentGraphOptions {
  /** The tools of the lead agent. */
  tools: readonly StructuredToolInterface[];
  /** Middleware around the lead agent's tool calls that applies to sub-agents too. */
  middleware: readonly AgentMiddleware[];
  models: AnsweringModels;
  log: Pick<Log, 'warn'>;
}

/** No user answers a sub-agent. The tool that starts sub-agents need not be listed, because the given tools never include it. */
const notForSubagents: ReadonlySet<string> = new Set([askClarificationTool.name]);

export function subagentGraph(type: SubagentType, options: SubagentGraphOptions): AgentGraph {
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

const answerNow =
  'This is your last turn. Answer now with what you have, without tools, and say what is missing.';

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
