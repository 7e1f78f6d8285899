import type { StructuredToolInterface } from '@langchain/core/tools';
import { type AgentMiddleware, createAgent } from 'langchain';
import type { Log } from '../../lib/log.ts';
import { DemoModel } from '../demo/demo-model.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { repeatedCalls } from '../middleware/repeated-calls.ts';
import { type AnsweringModels, answeringModel } from '../models/answering-model.ts';
import { threadState } from '../state/thread-state.ts';
import { askClarificationTool } from '../tools/ask-clarification.ts';
import { toolErrors } from '../tools/tool-errors.ts';
import { unknownTools } from '../tools/unknown-tools.ts';
import { chosenTools } from './chosen-tools.ts';
import { lastTurn } from './last-turn.ts';
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
