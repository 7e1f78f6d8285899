import type { RunCreate } from '@switchyard/contract/conversation/run';

/** Who answers, and how. */
export interface AgentChoice {
  /** The name of an agent of the user's own; null for the built-in one. */
  agent: string | null;
  /** Null for the default model. */
  model: string | null;
  plans: boolean;
  delegates: boolean;
}

const defaultChoice: AgentChoice = { agent: null, model: null, plans: true, delegates: true };

export function contextOf({ agent, model, plans, delegates }: AgentChoice): Pick<RunCreate, 'context'> {
  return {
    context: {
      is_plan_mode: plans,
      subagent_enabled: delegates,
      ...(agent !== null && { agent_name: agent }),
      ...(model !== null && { model_name: model }),
    },
  };
}

/** Reads a stored choice; what is missing or odd has its default. */
export function readChoice(stored: string | null): AgentChoice {
  try {
    const value = JSON.parse(stored ?? '{}') as Partial<Record<keyof AgentChoice, unknown>>;
    return {
      agent: typeof value.agent === 'string' ? value.agent : null,
      model: typeof value.model === 'string' ? value.model : null,
      plans: value.plans !== false,
      delegates: value.delegates !== false,
    };
  } catch {
    return defaultChoice;
  }
}
