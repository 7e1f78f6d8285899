import { createAgent } from 'langchain';
import type { AgentGraph } from './agents.ts';
import { DemoModel } from './demo/demo-model.ts';
import { leadAgentName } from './lead-agent-name.ts';
import type { AnsweringModels } from './models/answering-model.ts';
import { rememberedContext } from './remembered-context.ts';
import { threadState } from './thread-state.ts';
import { askClarificationTool } from './tools/ask-clarification.ts';
import type { ExternalTool } from './tools/external-tool.ts';
import { externalTools } from './tools/external-tools.ts';
import { listInstancesTool } from './tools/list-instances.ts';
import { runWorkflowTool } from './tools/run-workflow.ts';
import type { SavedWorkflow, WorkflowRunner } from './tools/workflow-runner.ts';
import { listWorkflowsTool, savedWorkflowTools } from './tools/workflow-tools.ts';
import { turnMiddleware } from './turn-middleware.ts';
import type { TurnSettings } from './turn-settings.ts';

export interface LeadAgentOptions {
  models: AnsweringModels;
  turn: TurnSettings;
  /** Null where this gateway has no pool. */
  workflows: WorkflowRunner | null;
  /** Of the user that it works for; each becomes a tool. */
  saved?: readonly SavedWorkflow[];
  /** Of other servers. */
  extraTools?: readonly ExternalTool[];
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
  const { models, turn, workflows, saved = [], extraTools = [], memoryOf, log } = options;
  const tools = [
    askClarificationTool,
    ...(workflows ? poolTools(workflows, saved) : []),
    ...externalTools(extraTools),
  ];
  const memory = memoryOf ? [rememberedContext(memoryOf, log)] : [];
  const agent = createAgent({
    name: leadAgentName,
    // Stands here because there has to be one; each call goes to the model that its run has chosen.
    model: new DemoModel(),
    tools,
    systemPrompt,
    stateSchema: threadState,
    middleware: [...turnMiddleware({ models, turn, log }), ...memory],
  });
  return agent.graph as unknown as AgentGraph;
}

function poolTools(workflows: WorkflowRunner, saved: readonly SavedWorkflow[]) {
  return [
    listInstancesTool(workflows),
    runWorkflowTool(workflows),
    listWorkflowsTool(saved),
    ...savedWorkflowTools(workflows, saved),
  ];
}
