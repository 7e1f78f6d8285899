import { modelHashOf } from '../graphs/fingerprint.ts';

export interface FreeInstance {
  id: string;
  kind: 'comfyui' | 'reference';
  /** The fingerprint of the last execution; null before the first. */
  lastFingerprint: string | null;
  weight: number;
  freeMemoryBytes: number | null;
  idleSinceMs: number;
}

/**
 * Decides which of the free instances that can run a task takes it. Prefers, in this order: any instance that is not
 * the reference worker, one that ran the same graph last, one with the same models loaded, the heavier one, the one
 * with most free memory, the one that was idle longest. Returns null when there is none.
 */
export function chooseInstance<Instance extends FreeInstance>(
  task: { fingerprint: string },
  capable: Iterable<Instance>,
): Instance | null {
  let best: Instance | null = null;
  for (const instance of capable) {
    if (best === null || isBetter(instance, best, task.fingerprint)) best = instance;
  }
  return best;
}

function isBetter(a: FreeInstance, b: FreeInstance, fingerprint: string): boolean {
  const differences = [
    Number(b.kind === 'reference') - Number(a.kind === 'reference'),
    warmth(a.lastFingerprint, fingerprint) - warmth(b.lastFingerprint, fingerprint),
    a.weight - b.weight,
    (a.freeMemoryBytes ?? 0) - (b.freeMemoryBytes ?? 0),
    b.idleSinceMs - a.idleSinceMs,
  ];
  const decisive = differences.find((difference) => difference !== 0);
  return decisive !== undefined && decisive > 0;
}

/** Returns how much of a task a worker has loaded: 2 the same graph, 1 the same models, 0 nothing. */
export function warmth(lastFingerprint: string | null, fingerprint: string): 0 | 1 | 2 {
  if (lastFingerprint === null) return 0;
  if (lastFingerprint === fingerprint) return 2;
  const models = modelHashOf(fingerprint);
  return models !== null && models === modelHashOf(lastFingerprint) ? 1 : 0;
}

/**
 * Fair share among owners by virtual time: each start costs its owner one second plus the time on the worker, and the
 * owner with the least goes next. An owner who comes back starts at the present, so idling earns nothing; an owner who
 * could not be served (no capable instance) is at most a minute ahead of it.
 */
export class FairShare {
  readonly #virtualTimeOf = new Map<string, number>();
  /** The virtual time of the last start; it only moves forward. */
  #present = 0;
  /** The time for which executions held their workers lately. */
  #usualSeconds = 0;

  virtualTime(owner: string): number {
    return Math.max(this.#virtualTimeOf.get(owner) ?? 0, this.#present - maxCreditSeconds);
  }

  /** The owner has work again after having had none. */
  arrive(owner: string): void {
    this.#virtualTimeOf.set(owner, Math.max(this.#virtualTimeOf.get(owner) ?? 0, this.#present));
  }

  start(owner: string): void {
    const now = this.virtualTime(owner);
    this.#present = Math.max(this.#present, now);
    this.#virtualTimeOf.set(owner, now + startCostSeconds);
  }

  /** Adds the seconds that an execution held its worker. */
  charge(owner: string, seconds: number): void {
    if (!(seconds > 0 && Number.isFinite(seconds))) return;
    this.#virtualTimeOf.set(owner, this.virtualTime(owner) + seconds);
    this.#usualSeconds += (seconds - this.#usualSeconds) / chargesRemembered;
  }

  /**
   * Returns how many waiting tasks of another owner have their turn before the task of an owner that has `own` tasks before
   * it in its own line, when each task costs what is usual. `isFirst`: with equal claims, the other owner goes first.
   */
  turnsBefore(
    { owner, own }: { owner: string; own: number },
    other: { owner: string; waiting: number; isFirst: boolean },
  ): number {
    const cost = startCostSeconds + this.#usualSeconds;
    const turn = own + (this.virtualTime(owner) - this.virtualTime(other.owner)) / cost;
    const before = other.isFirst ? Math.floor(turn) + 1 : Math.ceil(turn);
    return Math.min(Math.max(before, 0), other.waiting);
  }

  /** Forgets owners whose stored time equals what `arrive` would set again. */
  forgetIdle(isWaiting: (owner: string) => boolean): void {
    for (const [owner, time] of this.#virtualTimeOf) {
      if (time <= this.#present && !isWaiting(owner)) this.#virtualTimeOf.delete(owner);
    }
  }

  get knownOwners(): number {
    return this.#virtualTimeOf.size;
  }
}

const startCostSeconds = 1;
const chargesRemembered = 16;
const maxCreditSeconds = 60;
