/** In `additional_kwargs` of a message that stands where a model gave no answer. */
export const failureKey = 'failure';

interface RunFailure {
  name: string;
  message: string;
}

/** Why a graph that came to its end has failed: its last message says so of this very run. Null for a success. */
export function failureIn(values: Record<string, unknown> | undefined, runId: string): RunFailure | null {
  const messages = values?.messages;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const { additional_kwargs: extra } = (last ?? {}) as { additional_kwargs?: Record<string, unknown> };
  const failure = extra?.[failureKey] as (RunFailure & { run_id?: unknown }) | undefined;
  if (failure?.run_id !== runId) return null;
  return { name: String(failure.name), message: String(failure.message) };
}
