/** What keeps an adopted worker alive: it wants to end when it has not heard of a gateway for a while. */
export class Adoption {
  readonly #waitMs: number | undefined;
  readonly #onOrphaned: () => void;
  #timer: NodeJS.Timeout | undefined;
  #gateway: string | null = null;

  /** Without a wait nothing ever ends by itself. */
  constructor(waitMs: number | undefined, onOrphaned: () => void) {
    this.#waitMs = waitMs;
    this.#onOrphaned = onOrphaned;
  }

  get gateway(): string | null {
    return this.#gateway;
  }

  /** Waits from the start on, so that a gateway that dies before its first word leaves no orphan either. */
  start(): void {
    if (this.#waitMs === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onOrphaned, this.#waitMs);
  }

  heardFrom(gateway: string): void {
    this.#gateway = gateway;
    this.start();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
