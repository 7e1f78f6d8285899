import type { Log } from '../../lib/log.ts';
import { leadAgentName } from '../agent-ids.ts';
import { loadLangchain } from '../langchain.ts';
import type { AgentDefinition } from '../loading/agents.ts';
import type { MemoryOf } from '../middleware/remembered-context.ts';
import type { ChatModelsOptions } from '../models/chat-models.ts';
import { withNamesOfTheirOwn } from '../tools/external-names.ts';
import type { ExternalTool, ExternalTools } from '../tools/external-tool.ts';
import { newSearchTurns } from '../tools/files/search-turns.ts';
import type { WorkflowRunner } from '../tools/workflow-runner.ts';
import type { FileMount, Workspace } from '../tools/workspace.ts';
import type { UserAgents } from '../working-agent.ts';
import type { TurnSettings } from './turn-settings.ts';

/** The features of the gateway that are added to the lead agent. */
export interface Equipment {
  /** Null when this gateway has no pool. */
  workflows: WorkflowRunner | null;
  /** The files of threads, for the lead agent's tools; `mounts` are file trees that it can read beside them. */
  workspace?: Workspace;
  mounts?: readonly FileMount[];
  /** Tools of other servers. They come and go; a run has those that exist when it begins. */
  extraTools?: ExternalTools;
  memoryOf?: MemoryOf;
  /** Returns the prompt about all skills or about the named ones; empty for none. */
  skillsFor?: (only: readonly string[] | null) => Promise<string>;
  /** Custom agents and profiles of users. */
  userAgents?: UserAgents;
}

/** The agents that every gateway has. LangChain is loaded with the first of them that is used. */
export function builtInAgents(
  options: Equipment & { models: ChatModelsOptions; turn: TurnSettings; log: Pick<Log, 'warn'> },
): AgentDefinition[] {
  return [
    {
      graphId: leadAgentName,
      description: 'Answers and runs workflows on the pool.',
      from: 'built in',
      place: null,
      load: async () => {
        const { createLeadAgent, ownToolNames } = await loadLangchain(() => import('./lead-agent.ts'));
        const { ChatModels } = await loadLangchain(() => import('../models/chat-models.ts'));
        const { LeadAgentGraphs } = await import('./lead-agent-graphs.ts');
        const parts = { ...options, models: new ChatModels(options.models), searches: newSearchTurns() };
        const taken = ownToolNames({ ...parts, extraTools: [] });
        const graphsWith = (offered: readonly ExternalTool[]) => {
          const extraTools = withNamesOfTheirOwn(offered, { taken, log: options.log });
          return new LeadAgentGraphs({
            saved: options.workflows?.saved ?? null,
            make: (saved) => createLeadAgent({ ...parts, saved, extraTools }),
          });
        };
        let tools: readonly ExternalTool[] = [];
        let graphs = graphsWith(tools);
        return async (_config, { userId }) => {
          // biome-ignore lint/nursery/useAwaitThenable: the rule takes an optional function for one that returns nothing.
          const now = options.extraTools ? await options.extraTools() : tools;
          if (now !== tools) {
            tools = now;
            graphs = graphsWith(tools);
          }
          return graphs.of(userId);
        };
      },
    },
  ];
}
