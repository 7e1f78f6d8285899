export interface Loop {
  perSecond: number;
  /** The time of each round, in the order of their ends. */
  tookMs: number[];
}

/**
 * Runs this number of clients, each with one round after the other, until the time is up. Rounds that have begun are
 * finished. A round is told which client it is of, from 0 on.
 */
export async function closedLoop(
  { clients, seconds }: { clients: number; seconds: number },
  round: (client: number) => Promise<void>,
): Promise<Loop> {
  const tookMs: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1_000;
  const work = async (client: number): Promise<void> => {
    for (let begun = performance.now(); begun < end; begun = performance.now()) {
      await round(client);
      tookMs.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return { perSecond: (tookMs.length / (performance.now() - started)) * 1_000, tookMs };
}
