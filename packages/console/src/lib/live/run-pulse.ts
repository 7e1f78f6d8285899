import { systemTimer, type Timer } from '@switchyard/client/timer';

interface RunPulseOptions {
  /** Follows the run from its oldest kept frame. */
  follow: (signal: AbortSignal) => AsyncIterable<{ event: string }>;
  /** Called when the stored run has to be read again. */
  read: () => void;
  /** Called with false while the stream brings nothing, so that the page has to ask by the clock. */
  onHeard: (isHeard: boolean) => void;
  timer?: Timer;
}

const everyMs = 1_000;

/** The thing that a frame begins, such as a tool, is stored a moment after the frame. So there is a second reading. */
const readingsAfterFrame = 2;

/** Has a run read again when its stream brings something, at most once a second, and not while the run is silent. */
export class RunPulse {
  readonly #options: Required<RunPulseOptions>;
  readonly #closing = new AbortController();
  #readingsLeft = 0;
  #cancelTick: (() => void) | null = null;
  #isHeard = false;

  constructor({ timer = systemTimer, ...options }: RunPulseOptions) {
    this.#options = { ...options, timer };
    void this.#run();
  }

  close(): void {
    this.#closing.abort(new Error('The page no longer shows the run.'));
    this.#cancelTick?.();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    try {
      for await (const { event } of this.#options.follow(signal)) {
        this.#hear(event !== 'disconnected');
        if (event !== 'disconnected') this.#want();
      }
    } catch {
      // The page asks by the clock, and shows the answer then.
    }
    if (!signal.aborted) this.#hear(false);
  }

  #hear(isHeard: boolean): void {
    if (isHeard === this.#isHeard) return;
    this.#isHeard = isHeard;
    this.#options.onHeard(isHeard);
  }

  #want(): void {
    this.#readingsLeft = readingsAfterFrame;
    if (this.#cancelTick === null) this.#wait();
  }

  #wait(): void {
    this.#cancelTick = this.#options.timer(() => {
      this.#cancelTick = null;
      this.#readingsLeft -= 1;
      this.#options.read();
      if (this.#readingsLeft > 0) this.#wait();
    }, everyMs);
  }
}
