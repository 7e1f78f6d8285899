/**
 * Runs `action` once after `delayMs` and returns a function that cancels it. Code that waits takes it as a parameter,
 * so that tests let time pass instead of sleeping.
 */
export type Timer = (action: () => void, delayMs: number) => () => void;

/** Node fires a timer with a longer delay after one millisecond. */
const maxTimerMs = 2 ** 31 - 1;

export const systemTimer: Timer = (action, delayMs) => {
  let pending: NodeJS.Timeout;
  const arm = (remainingMs: number): void => {
    const partMs = Math.min(Math.max(remainingMs, 0), maxTimerMs);
    pending = setTimeout(() => (remainingMs > partMs ? arm(remainingMs - partMs) : action()), partMs);
  };
  arm(delayMs);
  return () => clearTimeout(pending);
};
