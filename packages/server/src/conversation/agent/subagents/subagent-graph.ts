import type { StructuredToolInterface } from '@langchain/core/tools';
import { type AgentMiddleware, createAgent } from 'langchain';
import type { AgentGraph } from '../agents.ts';
import { DemoModel } from '../demo/demo-model.ts';
import { type AnsweringModels, answeringModel } from '../models/answering-model.ts';
import { repeatedCalls } from '../repeated-calls.ts';
import { threadState } from '../thread-state.ts';
import { askClarificationTool } from '../tools/ask-clarification.ts';
import { toolErrors } from '../tools/tool-errors.ts';
import { lastTurn } from './last-turn.ts';
import type { SubagentType } from './subagent-settings.ts';

export interface SubagentGraphOptions {
  /** Of the lead agent. */
  tools: readonly StructuredToolInterface[];
  /** What goes on around the calls of the lead agent's tools and holds for sub-agents too. */
  middleware: readonly AgentMiddleware[];
  models: AnsweringModels;
  log: { warn(details: object, message: string): void };
}

/** Nobody answers a sub-agent. That it has no sub-agents itself follows from where its tools come from. */
const notForSubagents: ReadonlySet<string> = new Set([askClarificationTool.name]);

export function subagentGraph(type: SubagentType, options: SubagentGraphOptions): AgentGraph {
  const { models, log, middleware } = options;
  const agent = createAgent({
    name: type.name,
    model: new DemoModel(),
    tools: toolsOf(type, options),
    systemPrompt: type.systemPrompt,
    stateSchema: threadState,
    middleware: [
      lastTurn(type.maxTurns),
      repeatedCalls(),
      answeringModel(models),
      toolErrors(log),
      ...middleware,
    ],
  });
  return agent.graph as unknown as AgentGraph;
}

function toolsOf({ name, tools: wanted }: SubagentType, { tools, log }: SubagentGraphOptions) {
  const available = tools.filter((tool) => !notForSubagents.has(tool.name));
  if (wanted === null) return available;
  const missing = wanted.filter((each) => !available.some((tool) => tool.name === each));
  if (missing.length > 0)
    log.warn({ subagent: name, missing }, 'A sub-agent lacks tools that it should have');
  return available.filter((tool) => wanted.includes(tool.name));
}
