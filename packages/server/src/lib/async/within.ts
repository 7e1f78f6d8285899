import { newDeferred } from './deferred.ts';
import type { Timer } from './timer.ts';

/** Waits for `done`, but not for longer than the limit. It goes on in the background then. */
export async function within(
  done: Promise<unknown>,
  { limitMs, timer }: { limitMs: number; timer: Timer },
): Promise<void> {
  const over = newDeferred();
  const cancel = timer(() => over.resolve(), limitMs);
  try {
    await Promise.race([done, over.promise]);
  } finally {
    cancel();
  }
}
