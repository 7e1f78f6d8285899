/** Key in `additional_kwargs` of a message that takes the place of a model's answer when the model gave none. */
export const failureKey = 'failure';
/** Key in `additional_kwargs` of an answer that the model was made to give before it had finished by itself. */
export const stopKey = 'stopped';

/** Returns why a graph that reached its end has failed, which its last message says for this very run; null for a success. */
export function failureIn(
  values: Record<string, unknown> | undefined,
  runId: string,
): { name: string; message: string } | null {
  const failure = noteIn(values, { key: failureKey, runId });
  return failure && { name: String(failure.name), message: String(failure.message) };
}

/** Returns in a word why a run ended early, or null when its last message does not say so. */
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

/** Stands in `additional_kwargs` of an answer that a stop has cut off, and of the result of a tool call that it has ended. */
export const stoppedMark = { stopped: true } as const;
