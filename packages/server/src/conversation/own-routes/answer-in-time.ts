import { AppError } from '../../lib/app-error.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';

/** Longer than a request may be held anywhere else. What takes longer belongs into a run, or into a stream that begins. */
const maxWaitMs = 120_000;

/** Waits for the head of a response. Throws when it does not come in time, is none, or when there is no client left. */
export async function answerInTime(
  answer: Promise<unknown>,
  signal: AbortSignal,
  timer: Timer = systemTimer,
): Promise<Response> {
  const over = newDeferred<never>();
  const cancel = timer(() => over.reject(new AppError('custom_route_too_slow')), maxWaitMs);
  const onGone = (): void => over.reject(signal.reason);
  if (signal.aborted) onGone();
  signal.addEventListener('abort', onGone, { once: true });
  try {
    const response = await Promise.race([answer.catch(failed), over.promise]);
    if (isResponse(response)) return response;
    throw failed(new TypeError('The app of langgraph.json answered with something that is no Response.'));
  } finally {
    cancel();
    signal.removeEventListener('abort', onGone);
  }
}

function failed(cause: unknown): never {
  throw new AppError('custom_route_failed', { cause });
}

/** A response of another copy of the class counts as well. */
function isResponse(value: unknown): value is Response {
  return (
    typeof value === 'object' && value !== null && 'status' in value && 'headers' in value && 'body' in value
  );
}
