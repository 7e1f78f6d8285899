import { ToolMessage } from '@langchain/core/messages';
import { createAgent, createMiddleware } from 'langchain';
import { systemTimer } from '../../lib/async/timer.ts';
import type { Log } from '../../lib/log.ts';
import { leadAgentName } from '../agent-ids.ts';
import { DemoModel } from '../demo/demo-model.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { danglingCalls } from '../middleware/dangling-calls.ts';
import { fileMiddleware } from '../middleware/file-middleware.ts';
import { planTodos } from '../middleware/plan-todos.ts';
import { type MemoryOf, rememberedContext } from '../middleware/remembered-context.ts';
import { repeatedCalls } from '../middleware/repeated-calls.ts';
import { skillsContext } from '../middleware/skills-context.ts';
import { summarization } from '../middleware/summarization.ts';
import { threadTitle } from '../middleware/thread-title.ts';
import { type AnsweringModels, answeringModel } from '../models/answering-model.ts';
import { modelFailure } from '../models/model-failure.ts';
import { threadState } from '../state/thread-state.ts';
import { subagents } from '../subagents/subagents.ts';
import { taskToolName } from '../subagents/task-tool.ts';
import type { ExternalTool } from '../tools/external-tool.ts';
import { toolErrors } from '../tools/tool-errors.ts';
import { hasTool, serversOf } from '../tools/tool-groups.ts';
import { unknownTools } from '../tools/unknown-tools.ts';
import type { UserAgents, WorkingAgents } from '../working-agent.ts';
import { agentInstructions } from './agent-instructions.ts';
import { agentSetup, setupToolName } from './agent-setup.ts';
import { type LeadToolsOptions, leadTools } from './lead-tools.ts';
import type { TurnSettings } from './turn-settings.ts';

export interface LeadAgentOptions extends LeadToolsOptions {
  models: AnsweringModels;
  turn: TurnSettings;
  memoryOf?: MemoryOf;
  /** Returns the prompt about all skills or about the named ones; empty for none. */
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

/** Offers an agent with tool groups only the tools of those groups. A call of any other tool is refused. */
function agentTools(working: WorkingAgents, extraTools: readonly ExternalTool[]) {
  const servers = serversOf(extraTools);
  return createMiddleware({
    name: 'AgentToolsMiddleware',
    wrapModelCall: async (request, handler) => {
      const agent = await working.of(request.runtime);
      if (!agent || agent.tool_groups === null) return handler(request);
      const { tool_groups: groups } = agent;
      const tools = request.tools.filter(({ name }) => hasTool(groups, String(name), servers));
      return handler({ ...request, tools });
    },
    wrapToolCall: async (request, handler) => {
      const { toolCall, runtime } = request;
      const agent = await working.of(runtime);
      if (!agent || hasTool(agent.tool_groups, toolCall.name, servers)) return handler(request);
      return new ToolMessage({
        content: `Error: The agent '${agent.name}' does not have the tool '${toolCall.name}'.`,
        tool_call_id: toolCall.id ?? '',
        name: toolCall.name,
        status: 'error',
      });
    },
  });
}

/** Returns the middleware around the calls of a turn, the outermost first. */
function turnMiddleware({
  models,
  turn,
  log,
}: {
  models: AnsweringModels;
  turn: TurnSettings;
  log: Pick<Log, 'warn'>;
}) {
  const hasModels = models.configOf({ name: null }) !== undefined;
  const isSummarised = hasModels && turn.summarization.enabled;
  return [
    // First, so that it sees the answer that the middleware after it leaves.
    ...(turn.title.enabled ? [threadTitle(models, { settings: turn.title, log })] : []),
    ...(isSummarised ? [summarization(models, { settings: turn.summarization, log })] : []),
    danglingCalls(),
    planTodos(),
    repeatedCalls(),
    modelFailure(log),
    answeringModel(models),
    toolErrors(log),
  ] as const;
}
