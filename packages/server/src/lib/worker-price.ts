/** The price of an hour of a worker. */
export interface WorkerPrice {
  perHour: number;
  currency: string;
}

const secondsPerHour = 3_600;

/** Work without a price costs an unknown amount, never nothing. */
export function workerCost(
  price: WorkerPrice | null,
  seconds: number | null,
): { cost: number | null; currency: string | null } {
  if (!price || seconds === null) return { cost: null, currency: null };
  // Digits beyond these are errors of floating point arithmetic.
  const cost = Math.round((seconds / secondsPerHour) * price.perHour * 1e9) / 1e9;
  return { cost, currency: price.currency };
}
