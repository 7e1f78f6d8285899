import { AppError } from '../../lib/app-error.ts';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { Timer } from '../../lib/async/timer.ts';
import { secondMs } from '../../lib/time-units.ts';

/** Enough to ask another service, and short enough that the client still waits. */
const maxAuthMs = 10 * secondMs;

/** Waits for an operator's handler. One that takes too long goes on in the background, and its answer counts no more. */
export async function inTime<Result>(
  handle: () => Result | Promise<Result>,
  timer: Timer,
): Promise<Awaited<Result>> {
  const over = newDeferred<never>();
  const cancel = timer(() => over.reject(new AppError('custom_auth_too_slow')), maxAuthMs);
  try {
    return await Promise.race([Promise.resolve().then(handle), over.promise]);
  } finally {
    cancel();
  }
}
