import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../platform/database/database.ts';
import { restoredGateway } from '../../platform/database/gateway-store.ts';

/** A gateway that was resumed begins to work within this time. */
const lookEveryMs = 1_000;

/**
 * A gateway that was restored from a backup rests until it is resumed: it places no tasks, works on no runs or jobs, and makes no
 * calls. So it may stand beside the gateway from which the backup was taken.
 */
export class Quiet {
  readonly #options;
  readonly #over = new AbortController();
  #isQuiet: boolean;
  #watching: Promise<void> = Promise.resolve();

  static async open(options: { database: Database<unknown>; log: Log; timer?: Timer }): Promise<Quiet> {
    const restored = await restoredGateway(options.database);
    if (restored?.isQuiet)
      options.log.warn(
        { takenAt: restored.takenAt },
        'This gateway was restored from a backup and is quiet: it works on nothing until switchyard resume',
      );
    return new Quiet(options, restored?.isQuiet ?? false);
  }

  private constructor(options: { database: Database<unknown>; log: Log; timer?: Timer }, isQuiet: boolean) {
    this.#options = options;
    this.#isQuiet = isQuiet;
  }

  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Begins the work now, or as soon as the gateway is resumed. */
  async whenOver(begin: () => Promise<void>): Promise<void> {
    if (this.#isQuiet) this.#watching = this.#watch(begin);
    else await begin();
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#watching;
  }

  async #watch(begin: () => Promise<void>): Promise<void> {
    const { log, timer = systemTimer } = this.#options;
    const { signal } = this.#over;
    for (;;) {
      try {
        await sleepWithSignal(lookEveryMs, { signal, timer });
        this.#isQuiet &&= (await restoredGateway(this.#options.database))?.isQuiet ?? false;
        if (this.#isQuiet) continue;
        await begin();
        log.info({}, 'The gateway was resumed and works');
        return;
      } catch (err) {
        if (signal.aborted) return;
        log.error({ err }, 'The gateway could not begin to work after its quiet');
      }
    }
  }
}
