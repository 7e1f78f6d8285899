export interface BackOff {
  firstMs: number;
  maxMs: number;
}

/**
 * Returns how long to wait after this many failures in a row: twice as long each time, up to `maxMs`. Half of the wait is
 * random, so that the clients of a restarting gateway do not all come back at the same moment.
 */
export function backOffMs(failures: number, { firstMs, maxMs }: BackOff, random: () => number): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** (failures - 1));
  return fullMs / 2 + (random() * fullMs) / 2;
}
