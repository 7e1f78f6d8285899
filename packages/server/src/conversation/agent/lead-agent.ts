import { createAgent } from 'langchain';
import type { AgentGraph } from './agents.ts';
import { DemoModel } from './demo/demo-model.ts';
import { leadAgentName } from './lead-agent-name.ts';
import { type LeadToolsOptions, leadTools } from './lead-tools.ts';
import type { AnsweringModels } from './models/answering-model.ts';
import { rememberedContext } from './remembered-context.ts';
import { threadState } from './thread-state.ts';
import { turnMiddleware } from './turn-middleware.ts';
import type { TurnSettings } from './turn-settings.ts';

export interface LeadAgentOptions extends LeadToolsOptions {
  models: AnsweringModels;
  turn: TurnSettings;
  /** What is remembered about a user; empty for nothing. */
  memoryOf?: (userId: string) => Promise<string>;
  log: { warn(details: object, message: string): void };
}

const systemPrompt = [
  'You are the lead agent of Switchyard, a gateway in front of a pool of workers that run image workflows.',
  'Run workflows with your tools when the user asks for pictures, and say plainly what came of it.',
  'Never invent the result of a tool.',
].join(' ');

export function createLeadAgent(options: LeadAgentOptions): AgentGraph {
  const { models, turn, memoryOf, log } = options;
  const memory = memoryOf ? [rememberedContext(memoryOf, log)] : [];
  const agent = createAgent({
    name: leadAgentName,
    // Stands here because there has to be one; each call goes to the model that its run has chosen.
    model: new DemoModel(),
    tools: leadTools(options),
    systemPrompt,
    stateSchema: threadState,
    middleware: [...turnMiddleware({ models, turn, log }), ...memory],
  });
  return agent.graph as unknown as AgentGraph;
}
