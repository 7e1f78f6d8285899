import type { AgentDefinition } from './agents.ts';
import { loadLangchain } from './langchain.ts';
import { leadAgentName } from './lead-agent-name.ts';
import type { ChatModelsOptions } from './models/chat-models.ts';
import type { WorkflowRunner } from './tools/workflow-runner.ts';

/** The agents that every gateway has. LangChain is loaded with the first of them that is used. */
export function builtInAgents(options: {
  /** Null where this gateway has no pool. */
  workflows: WorkflowRunner | null;
  models: ChatModelsOptions;
  /** What is remembered about a user, as the lead agent is told it; empty for nothing. */
  memoryOf?: (userId: string) => Promise<string>;
  log: { warn(details: object, message: string): void };
}): AgentDefinition[] {
  return [
    {
      graphId: leadAgentName,
      description: 'Answers and runs workflows on the pool.',
      from: 'built in',
      file: null,
      load: async () => {
        const { createLeadAgent } = await loadLangchain(() => import('./lead-agent.ts'));
        const { ChatModels } = await loadLangchain(() => import('./models/chat-models.ts'));
        const { LeadAgentGraphs } = await import('./lead-agent-graphs.ts');
        const models = new ChatModels(options.models);
        const graphs = new LeadAgentGraphs({
          saved: options.workflows?.saved ?? null,
          make: (saved) => createLeadAgent({ ...options, models, saved }),
        });
        return (_config, { userId }) => graphs.of(userId);
      },
    },
  ];
}
