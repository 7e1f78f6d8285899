import type { WorkerClient } from '../worker-client/worker-client.ts';

const mostTries = 10;
const mostKept = 100;

/**
 * Runs that were given up while their worker could not be reached. They run elsewhere by now; when the worker is back it
 * may still be at them, and would only keep others waiting.
 */
export class LostRuns {
  readonly #client: Pick<WorkerClient, 'cancel'>;
  readonly #triesOf = new Map<string, number>();

  constructor(client: Pick<WorkerClient, 'cancel'>) {
    this.#client = client;
  }

  add(promptId: string): void {
    if (this.#triesOf.size < mostKept) this.#triesOf.set(promptId, 0);
  }

  /** Called whenever the worker seems to be there. What cannot be stopped now is tried again the next time. */
  stopAll(): void {
    for (const [promptId, tries] of this.#triesOf) {
      this.#triesOf.delete(promptId);
      this.#client.cancel(promptId).catch(() => {
        if (tries + 1 < mostTries) this.#triesOf.set(promptId, tries + 1);
      });
    }
  }
}
