import type { RunCreate } from '@switchyard/contract/conversation/run';
import { isRecord } from '@switchyard/contract/is-record';

/** The chosen agent and its settings. */
export interface AgentChoice {
  /** A graph, an assistant or an agent of the user's own, as a run names it; null for the built-in one. */
  agent: string | null;
  /** Null for the default model. */
  model: string | null;
  plans: boolean;
  delegates: boolean;
}

/** Returns the context for the built-in agent; agents of the user's own are that agent too. */
export function contextOf({ model, plans, delegates }: AgentChoice): Pick<RunCreate, 'context'> {
  return {
    context: {
      is_plan_mode: plans,
      subagent_enabled: delegates,
      ...(model !== null && { model_name: model }),
    },
  };
}

/** Returns the settings that a run of the built-in agent received. */
export function settingsIn(context: unknown): Omit<AgentChoice, 'agent'> {
  const told = isRecord(context) ? context : {};
  return {
    model: typeof told.model_name === 'string' ? told.model_name : null,
    plans: told.is_plan_mode === true,
    delegates: told.subagent_enabled === true,
  };
}

/** Reads a stored choice; what is missing or odd has its default. */
export function readChoice(stored: string | null): AgentChoice {
  const value = valueIn(stored);
  return {
    agent: typeof value.agent === 'string' ? value.agent : null,
    model: typeof value.model === 'string' ? value.model : null,
    plans: value.plans !== false,
    delegates: value.delegates !== false,
  };
}

function valueIn(stored: string | null): Partial<Record<keyof AgentChoice, unknown>> {
  try {
    const value: unknown = JSON.parse(stored ?? '{}');
    return isRecord(value) ? value : {};
  } catch {
    return {}; // an older page has written something else
  }
}
