export interface Loop {
  perSecond: number;
  /** The time of each round, in the order of their ends. */
  tookMs: number[];
}

/**
 * Runs this number of clients, each with one round after the other, until the time is up. Rounds that have begun are
 * finished.
 */
export async function closedLoop(
  { clients, seconds }: { clients: number; seconds: number },
  round: () => Promise<void>,
): Promise<Loop> {
  const tookMs: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1_000;
  const client = async (): Promise<void> => {
    for (let begun = performance.now(); begun < end; begun = performance.now()) {
      await round();
      tookMs.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { perSecond: (tookMs.length / (performance.now() - started)) * 1_000, tookMs };
}
