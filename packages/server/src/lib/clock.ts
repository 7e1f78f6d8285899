/** Milliseconds since the epoch. A parameter wherever time matters, so that tests never sleep. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** Milliseconds since some moment: for how long things take. Nobody sets it, so it never jumps and never goes back. */
export const steadyClock: Clock = () => performance.now();

/** Keeps its last answer: what happens in one unit is written down many times with the same moment. */
export function toIso(epochMs: number): string {
  if (epochMs !== last.epochMs) last = { epochMs, text: new Date(epochMs).toISOString() };
  return last.text;
}

let last = { epochMs: 0, text: new Date(0).toISOString() };
