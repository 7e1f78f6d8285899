/** Counts what each holder has, up to a limit per holder and a limit for all holders together. */
export class Shares {
  readonly #limits;
  readonly #heldBy = new Map<string, number>();
  #total = 0;

  constructor(limits: {
    /** Maximum for one holder. */
    each: number;
    /** Maximum for all holders together. */
    together: number;
  }) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  heldBy(holder: string): number {
    return this.#heldBy.get(holder) ?? 0;
  }

  /** Takes the amount, or takes nothing and returns which limit prevented it. */
  take(holder: string, amount = 1): 'taken' | 'own_share_full' | 'all_full' {
    const own = this.heldBy(holder) + amount;
    if (own > this.#limits.each) return 'own_share_full';
    if (this.#total + amount > this.#limits.together) return 'all_full';
    this.#heldBy.set(holder, own);
    this.#total += amount;
    return 'taken';
  }

  /** Gives back an amount. A holder that has nothing left is forgotten. */
  give(holder: string, amount = 1): void {
    const left = this.heldBy(holder) - amount;
    if (left > 0) this.#heldBy.set(holder, left);
    else this.#heldBy.delete(holder);
    this.#total -= amount;
  }
}
