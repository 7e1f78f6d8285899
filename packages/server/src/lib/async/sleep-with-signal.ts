import { systemTimer, type Timer } from './timer.ts';

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export function sleepWithSignal(
  delayMs: number,
  options: { signal?: AbortSignal | undefined; timer?: Timer } = {},
): Promise<void> {
  const { signal, timer = systemTimer } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = timer(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
