/** The model that a run asks for. */
export interface RequestedModel {
  /** Null for the default. */
  name: string | null;
  thinking: boolean;
  /** Null when the run leaves the effort to the provider. */
  effort: ReasoningEffort | null;
}

export const reasoningEfforts = ['minimal', 'low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** `context` takes precedence over `configurable`, in which older clients send the same keys. */
export function requestedModelOf(context: unknown, configurable: unknown): RequestedModel {
  const { model_name, thinking_enabled, reasoning_effort } = { ...record(configurable), ...record(context) };
  return {
    name: typeof model_name === 'string' && model_name !== '' ? model_name : null,
    thinking: thinking_enabled === true,
    effort: reasoningEfforts.find((effort) => effort === reasoning_effort) ?? null,
  };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
