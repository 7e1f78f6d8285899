/** Keeps an adopted worker alive: the worker ends when no gateway has called it for a while. */
export class Adoption {
  readonly #waitMs: number | undefined;
  readonly #onOrphaned: () => void;
  #timer: NodeJS.Timeout | undefined;
  #gateway: string | null = null;

  /** Without a wait the worker never ends by itself. */
  constructor(waitMs: number | undefined, onOrphaned: () => void) {
    this.#waitMs = waitMs;
    this.#onOrphaned = onOrphaned;
  }

  get gateway(): string | null {
    return this.#gateway;
  }

  /** Waits from the start, so that a gateway that dies before its first call leaves no orphan either. */
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
