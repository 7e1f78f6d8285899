/** The time limit of a call that ends with the patience of its caller, which may be infinite. */
export function signalAfter(patienceMs: number): { signal?: AbortSignal } {
  return Number.isFinite(patienceMs) ? { signal: AbortSignal.timeout(patienceMs) } : {};
}
