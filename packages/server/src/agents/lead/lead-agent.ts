import { createAgent } from 'langchain';
import { systemTimer } from '../../lib/async/timer.ts';
import type { Log } from '../../lib/log.ts';
import { leadAgentName } from '../agent-ids.ts';
import { DemoModel } from '../demo/demo-model.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { fileMiddleware } from '../middleware/file-middleware.ts';
import { type MemoryOf, rememberedContext } from '../middleware/remembered-context.ts';
import { skillsContext } from '../middleware/skills-context.ts';
import type { AnsweringModels } from '../models/answering-model.ts';
import { threadState } from '../state/thread-state.ts';
import { subagents } from '../subagents/subagents.ts';
import { taskToolName } from '../subagents/task-tool.ts';
import { unknownTools } from '../tools/unknown-tools.ts';
import type { UserAgents } from '../working-agent.ts';
import { agentInstructions } from './agent-instructions.ts';
import { agentSetup, setupToolName } from './agent-setup.ts';
import { agentTools } from './agent-tools.ts';
import { type LeadToolsOptions, leadTools } from './lead-tools.ts';
import { turnMiddleware } from './turn-middleware.ts';
import type { TurnSettings } from './turn-settings.ts';

export interface LeadAgentOptions extends LeadToolsOptions {
  models: AnsweringModels;
  turn: TurnSettings;
  memoryOf?: MemoryOf;
  /** Returns what to tell about all skills or about the named ones; empty for nothing. */
  skillsFor?: (only: readonly string[] | null) => Promise<string>;
  /** Lets the lead agent work as each user's own agents. */
  userAgents?: UserAgents;
  log: Pick<Log, 'warn'>;
}

const systemPrompt = [
  'You are the lead agent of Switchyard, a gateway in front of a pool of workers that run image workflows.',
  'Run workflows with your tools when the user asks for pictures, and say plainly what came of it.',
  'Never invent the result of a tool.',
].join(' ');

/** Returns the names of the gateway's own tools. Tools of users' workflows have a prefix. */
export function ownToolNames(options: LeadAgentOptions): ReadonlySet<string> {
  const { models, turn, log } = options;
  const middleware: readonly { tools?: readonly { name?: unknown }[] }[] = [
    ...turnMiddleware({ models, turn, log }),
    ...aroundFiles(options),
  ];
  const tools = [
    ...leadTools({ ...options, extraTools: [] }),
    ...middleware.flatMap(({ tools = [] }) => tools),
  ];
  return new Set([...tools.map(({ name }) => String(name)), taskToolName, setupToolName]);
}

export function createLeadAgent(options: LeadAgentOptions): AgentGraph {
  const { models, turn, memoryOf, skillsFor, userAgents, extraTools = [], log } = options;
  const memory = memoryOf ? [rememberedContext(memoryOf, log)] : [];
  const ofAgent = userAgents ? [agentTools(userAgents.working, extraTools)] : [];
  const asAgent = userAgents ? [agentInstructions(userAgents, log)] : [];
  const setup = userAgents?.setUp ? [agentSetup(userAgents.setUp)] : [];
  const tools = leadTools(options);
  const working = userAgents?.working ?? null;
  const skills = skillsFor ? [skillsContext({ skillsFor, working, log })] : [];
  const files = aroundFiles(options);
  const around = { tools, middleware: [...ofAgent, ...files, ...skills], models, timer: systemTimer, log };
  const helpers = turn.subagents ? [subagents({ settings: turn.subagents, ...around })] : [];
  // Last, so that middleware that knows why a tool is missing can answer first.
  const others = [unknownTools()];
  const agent = createAgent({
    name: leadAgentName,
    // createAgent needs a model, but each call goes to the model that its run has chosen.
    model: new DemoModel(),
    tools,
    systemPrompt,
    stateSchema: threadState,
    middleware: [
      // First, so that the middleware after it sees which tools the agent has.
      ...ofAgent,
      ...turnMiddleware({ models, turn, log }),
      ...helpers,
      ...asAgent,
      ...files,
      ...setup,
      ...skills,
      ...memory,
      ...others,
    ],
  });
  return agent.graph as unknown as AgentGraph;
}

function aroundFiles({ workspace, mounts = [], models, log }: LeadAgentOptions) {
  return workspace ? fileMiddleware({ workspace, mounts }, { models, log }) : [];
}
