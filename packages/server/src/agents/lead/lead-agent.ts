import { ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createAgent, createMiddleware } from 'langchain';
import { z } from 'zod';
import { systemTimer } from '../../lib/async/timer.ts';
import type { Log } from '../../lib/log.ts';
import { leadAgentName } from '../agent-ids.ts';
import { DemoModel } from '../demo/demo-model.ts';
import type { AgentGraph } from '../loading/agents.ts';
import { danglingCalls } from '../middleware/dangling-calls.ts';
import { fileMiddleware } from '../middleware/file-middleware.ts';
import { textOrNothing } from '../middleware/optional-text.ts';
import { planTodos } from '../middleware/plan-todos.ts';
import { type MemoryOf, rememberedContext } from '../middleware/remembered-context.ts';
import { repeatedCalls } from '../middleware/repeated-calls.ts';
import { skillsContext } from '../middleware/skills-context.ts';
import { summarization } from '../middleware/summarization.ts';
import { threadTitle } from '../middleware/thread-title.ts';
import { type AnsweringModels, answeringModel } from '../models/answering-model.ts';
import { modelFailure } from '../models/model-failure.ts';
import { requireRunHandle, runHandleOf } from '../run-contract/run-handle.ts';
import { threadState } from '../state/thread-state.ts';
import { subagents } from '../subagents/subagents.ts';
import { taskToolName } from '../subagents/task-tool.ts';
import type { ExternalTool } from '../tools/external-tool.ts';
import { toolErrors } from '../tools/tool-errors.ts';
import { hasTool, serversOf } from '../tools/tool-groups.ts';
import { unknownTools } from '../tools/unknown-tools.ts';
import {
  agentNameOf,
  isSetUp,
  type UserAgents,
  type WorkingAgent,
  type WorkingAgents,
} from '../working-agent.ts';
import { type LeadToolsOptions, leadTools } from './lead-tools.ts';
import type { TurnSettings } from './turn-settings.ts';

const setupToolName = 'setup_agent';

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

/**
 * Gives the model the prompts about its agent and its user. Neither is kept in the thread. A run continues without a
 * profile that cannot be read. It fails without its agent, because it would be a different run.
 */
function agentInstructions({ working, profileOf }: UserAgents, log: Pick<Log, 'warn'>) {
  return createMiddleware({
    name: 'AgentInstructionsMiddleware',
    wrapModelCall: async (request, handler) => {
      const agent = await working.of(request.runtime);
      const userId = runHandleOf(request.runtime)?.userId;
      const profile =
        userId === undefined
          ? ''
          : await textOrNothing(
              profileOf(userId).then(profilePrompt),
              log,
              'A user profile cannot be read; the run goes on without it',
            );
      const told = [agent ? agentPrompt(agent) : '', profile].filter(Boolean);
      if (told.length === 0) return handler(request);
      return handler({ ...request, systemMessage: request.systemMessage.concat(`\n\n${told.join('\n\n')}`) });
    },
  });
}

/** Returns the prompt of the agent that the lead agent works as. */
function agentPrompt({
  name,
  description,
  soul,
}: Pick<WorkingAgent, 'name' | 'description' | 'soul'>): string {
  const about = description.trim() === '' ? '' : ` It is described so: ${description.trim()}`;
  const introduction = `You work as the user's own agent "${name}".${about}`;
  if (soul.trim() === '') return introduction;
  return [introduction, 'Who you are and how you work:', '<soul>', soul.trim(), '</soul>'].join('\n');
}

/** Returns the prompt about the user for each of their agents; empty for none. */
function profilePrompt(content: string | null): string {
  if (content === null || content.trim() === '') return '';
  return ['What the user says of themselves:', '<user_profile>', content.trim(), '</user_profile>'].join(
    '\n',
  );
}

const guidance = (name: string) =>
  `The user is setting up an agent of their own, called "${name}". Find out what it is for and how it should work, with ` +
  `few questions at a time. Once they agree, call ${setupToolName}, and tell them what you have written.`;

/**
 * Adds the tool for setting up an agent. A run with `is_bootstrap` in its context creates or changes the agent that it names, in
 * a conversation with the user.
 */
function agentSetup(setUp: NonNullable<UserAgents['setUp']>) {
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
