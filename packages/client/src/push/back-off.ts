export interface BackOff {
  firstMs: number;
  longestMs: number;
}

/**
 * How long to wait after this many failures in a row: twice as long each time, up to the longest. Half of it is chance,
 * so that the clients of a gateway that restarts do not all come back at one moment.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOff, random: () => number): number {
  const fullMs = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  return fullMs / 2 + (random() * fullMs) / 2;
}
