import { leadAgentName } from '../../../agents/lead-agent-name.ts';
import { requestedModelOf } from '../../../agents/models/requested-model.ts';
import { type RunKwargs, refusal } from './run-request.ts';

/**
 * The custom agent that a run names, as an assistant or by itself; null for none. `context` wins over `configurable`, where
 * it says anything.
 */
export function agentWishOf({ config, context }: Pick<RunKwargs, 'config' | 'context'>): string | null {
  const named = [context.agent_name, config.configurable?.agent_name].find(isSaid) ?? leadAgentName;
  if (named === leadAgentName) return null;
  if (typeof named === 'string') return named;
  throw refusal({
    path: ['context', 'agent_name'],
    type: 'string_type',
    message: 'Input should be a valid string',
    input: named,
  });
}

function isSaid(name: unknown): boolean {
  return name !== undefined && name !== null && name !== '';
}

/** The run is the agent's from here on, and asks for its model where it names none itself. */
export function withAgent(kwargs: RunKwargs, agent: { name: string; model: string | null }): RunKwargs {
  const { config, context } = kwargs;
  const isModelOpen = agent.model !== null && requestedModelOf(context, config.configurable).name === null;
  const configurable = { ...config.configurable, ...(isModelOpen && { model_name: agent.model }) };
  return { ...kwargs, agent_name: agent.name, config: { ...config, configurable } };
}
