/**
 * Runs `action` once after `delayMs` and answers a function that cancels it. A parameter wherever something waits, so
 * that tests let time pass instead of sleeping.
 */
export type Timer = (action: () => void, delayMs: number) => () => void;

/** Node fires a longer timer after one millisecond. */
const longestTimerMs = 2 ** 31 - 1;

export const systemTimer: Timer = (action, delayMs) => {
  let pending: NodeJS.Timeout;
  const arm = (remainingMs: number): void => {
    const partMs = Math.min(Math.max(remainingMs, 0), longestTimerMs);
    pending = setTimeout(() => (remainingMs > partMs ? arm(remainingMs - partMs) : action()), partMs);
  };
  arm(delayMs);
  return () => clearTimeout(pending);
};
