/** A kind of sub-agent. */
export interface SubagentType {
  /** As the lead agent names it, and as its model calls are tagged: `subagent:<name>`. */
  name: string;
  /** What it is good for. */
  description: string;
  systemPrompt: string;
  /** Of the lead agent's; null for all that a sub-agent may have. */
  tools: readonly string[] | null;
  /** Null for the run's own. */
  model: string | null;
  /** Answers of its model; the last one has to do without tools. */
  maxTurns: number;
  timeoutMs: number;
}

export interface SubagentSettings {
  types: readonly SubagentType[];
  /** At the same time, where a run does not say otherwise. */
  maxConcurrent: number;
}

/** What every gateway has, unless a configured kind takes its name. */
export function generalPurpose(limits: Pick<SubagentType, 'maxTurns' | 'timeoutMs'>): SubagentType {
  return {
    name: 'general-purpose',
    description: 'For any part of the work that takes several steps: it has the same tools as you.',
    systemPrompt: [
      'You are a sub-agent of Switchyard and do one part of a larger work for the lead agent, who sees nothing but your last answer.',
      'You cannot ask anybody: where something is unclear, decide and say how.',
      'End with what came of it: results, paths and ids of what was made, and what did not work. Never invent the result of a tool.',
    ].join(' '),
    tools: null,
    model: null,
    ...limits,
  };
}

const fewestAtOnce = 2;
const mostAtOnce = 4;

/** What a run says of sub-agents. `context` wins over `configurable`, where older clients put the same keys. */
export function subagentWish(
  { context, configurable }: { context?: unknown; configurable?: unknown },
  { maxConcurrent }: Pick<SubagentSettings, 'maxConcurrent'>,
): { isEnabled: boolean; atOnce: number } {
  const said: Record<string, unknown> = { ...(configurable as object), ...(context as object) };
  const { subagent_enabled: enabled, max_concurrent_subagents: wished } = said;
  const atOnce = typeof wished === 'number' && Number.isInteger(wished) ? wished : maxConcurrent;
  return { isEnabled: enabled === true, atOnce: Math.min(Math.max(atOnce, fewestAtOnce), mostAtOnce) };
}
