/** In `additional_kwargs` of a message that stands where a model gave no answer. */
export const failureKey = 'failure';
/** In `additional_kwargs` of the answer that a model was made to give before it had come to an end by itself. */
export const stopKey = 'stopped';

interface RunFailure {
  name: string;
  message: string;
}

/** Why a graph that came to its end has failed: its last message says so of this very run. Null for a success. */
export function failureIn(values: Record<string, unknown> | undefined, runId: string): RunFailure | null {
  const failure = noteIn(values, { key: failureKey, runId });
  return failure && { name: String(failure.name), message: String(failure.message) };
}

/** Why a run ended early, in a word; null where its last message says nothing of it. */
export function stopReasonIn(values: Record<string, unknown> | undefined, runId: string): string | null {
  const stop = noteIn(values, { key: stopKey, runId });
  return stop && String(stop.reason);
}

function noteIn(
  values: Record<string, unknown> | undefined,
  { key, runId }: { key: string; runId: string },
): Record<string, unknown> | null {
  const messages = values?.messages;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const { additional_kwargs: extra } = (last ?? {}) as { additional_kwargs?: Record<string, unknown> };
  const note = extra?.[key] as Record<string, unknown> | undefined;
  return note?.run_id === runId ? note : null;
}
