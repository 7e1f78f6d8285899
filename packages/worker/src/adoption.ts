/** Who keeps an adopted worker alive: it ends when it has not heard of a gateway for a while. */
export class Adoption {
  readonly #policy: { exitAfterMs: number; onOrphaned: () => void } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #gateway: string | null = null;

  /** Without a policy nothing ever ends by itself. */
  constructor(policy?: { exitAfterMs: number; onOrphaned: () => void }) {
    this.#policy = policy;
  }

  get gateway(): string | null {
    return this.#gateway;
  }

  /** Starts the wait, so that a gateway that dies before its first word leaves no orphan either. */
  start(): void {
    const policy = this.#policy;
    if (policy === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(policy.onOrphaned, policy.exitAfterMs);
  }

  heardFrom(gateway: string): void {
    this.#gateway = gateway;
    this.start();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
