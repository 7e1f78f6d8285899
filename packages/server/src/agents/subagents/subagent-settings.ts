/** A kind of sub-agent. */
export interface SubagentType {
  /** The name by which the lead agent asks for it. Its model calls are tagged `subagent:<name>`. */
  name: string;
  /** Tells the lead agent what it is good for. */
  description: string;
  systemPrompt: string;
  /** A choice of the lead agent's tools; null for all that a sub-agent may have. */
  tools: readonly string[] | null;
  /** Null for the run's own model. */
  model: string | null;
  /** Number of answers of its model; the last one has no tools. */
  maxTurns: number;
  timeoutMs: number;
}

export interface SubagentSettings {
  types: readonly SubagentType[];
  /** The number of sub-agents that may work at the same time, unless the run has its own limit. */
  maxConcurrent: number;
}

/** The kind that every gateway has, unless a configured kind has the same name. */
export function generalPurpose(limits: Pick<SubagentType, 'maxTurns' | 'timeoutMs'>): SubagentType {
  return {
    name: 'general-purpose',
    description: 'For any part of the work that takes several steps: it has the same tools as you.',
    systemPrompt: [
      'You are a sub-agent of Switchyard and do one part of a larger work for the lead agent, who sees nothing but your last answer.',
      'You cannot ask anyone: when something is unclear, decide and say how.',
      'End with what came of it: results, paths and ids of what was made, and what did not work. Never invent the result of a tool.',
    ].join(' '),
    tools: null,
    model: null,
    ...limits,
  };
}

const minAtOnce = 2;
const maxAtOnce = 4;

/**
 * Reads the settings of a run for sub-agents. `context` takes precedence over `configurable`, in which older clients
 * send the same keys.
 */
export function requestedSubagents(
  { context, configurable }: { context?: unknown; configurable?: unknown },
  { maxConcurrent }: Pick<SubagentSettings, 'maxConcurrent'>,
): { isEnabled: boolean; atOnce: number } {
  const said: Record<string, unknown> = { ...(configurable as object), ...(context as object) };
  const { subagent_enabled: enabled, max_concurrent_subagents: requested } = said;
  const atOnce = typeof requested === 'number' && Number.isInteger(requested) ? requested : maxConcurrent;
  return { isEnabled: enabled === true, atOnce: Math.min(Math.max(atOnce, minAtOnce), maxAtOnce) };
}
