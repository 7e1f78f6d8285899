/** Milliseconds since the epoch. Code that depends on time takes a clock as a parameter, so that tests never sleep. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/**
 * Milliseconds since some fixed moment, for measuring how long something takes. It cannot be set, so it never jumps and
 * never goes back.
 */
export const steadyClock: Clock = () => performance.now();

/** Keeps its last result, because the same moment is written many times within a millisecond. */
export function toIso(epochMs: number): string {
  if (epochMs !== last.epochMs) last = { epochMs, text: new Date(epochMs).toISOString() };
  return last.text;
}

let last = { epochMs: 0, text: new Date(0).toISOString() };
