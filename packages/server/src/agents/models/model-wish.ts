/** What a run says of the model that it wants. */
export interface ModelWish {
  /** Null for the default. */
  name: string | null;
  thinking: boolean;
  /** Null where the run leaves it to the provider. */
  effort: ReasoningEffort | null;
}

export const reasoningEfforts = ['minimal', 'low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** `context` wins over `configurable`, where older clients put the same keys. */
export function wishOf(context: unknown, configurable: unknown): ModelWish {
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
