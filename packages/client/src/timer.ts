/**
 * Runs `action` once after `delayMs` and returns a function that cancels it. A parameter, so that tests never sleep.
 */
export type Timer = (action: () => void, delayMs: number) => () => void;

/** Platforms fire a longer timer at once. */
const maxMs = 2 ** 31 - 1;

export const systemTimer: Timer = (action, delayMs) => {
  const handle = setTimeout(action, Math.min(delayMs, maxMs));
  return () => clearTimeout(handle);
};

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export function sleep(delayMs: number, signal: AbortSignal, timer: Timer = systemTimer): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = timer(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
