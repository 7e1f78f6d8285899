/** Milliseconds since the epoch. A parameter wherever time matters, so that tests never sleep. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** Milliseconds since some moment: for how long things take. Nobody sets it, so it never jumps and never goes back. */
export const steadyClock: Clock = () => performance.now();

export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
