/** Milliseconds since the epoch. A parameter wherever time matters, so that tests never sleep. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
