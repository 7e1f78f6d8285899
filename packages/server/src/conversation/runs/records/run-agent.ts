import { leadAgentName } from '../../../agents/agent-ids.ts';
import { requestedModelOf } from '../../../agents/models/requested-model.ts';
import { type RunKwargs, refusal } from './run-request.ts';

/**
 * The custom agent that a run names, as its assistant or by a setting; null when it names none. `context` wins over
 * `configurable` when it names an agent.
 */
export function requestedAgentOf({ config, context }: Pick<RunKwargs, 'config' | 'context'>): string | null {
  const named = [context.agent_name, config.configurable?.agent_name].find(isNamed) ?? leadAgentName;
  if (named === leadAgentName) return null;
  if (typeof named === 'string') return named;
  throw refusal({
    path: ['context', 'agent_name'],
    type: 'string_type',
    message: 'Input should be a valid string',
    input: named,
  });
}

function isNamed(name: unknown): boolean {
  return name !== undefined && name !== null && name !== '';
}

/** Makes the run one of the agent. It uses the agent's model when it names none itself. */
export function withAgent(kwargs: RunKwargs, agent: { name: string; model: string | null }): RunKwargs {
  const { config, context } = kwargs;
  const isModelOpen = agent.model !== null && requestedModelOf(context, config.configurable).name === null;
  const configurable = { ...config.configurable, ...(isModelOpen && { model_name: agent.model }) };
  return { ...kwargs, agent_name: agent.name, config: { ...config, configurable } };
}
