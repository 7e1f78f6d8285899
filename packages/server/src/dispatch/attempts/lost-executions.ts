import type { WorkerClient } from '../worker-client/worker-client.ts';

const maxTries = 10;
const maxKept = 100;

/**
 * Executions that were given up while their worker could not be reached. Their tasks run elsewhere by now; when the
 * worker is back it may still be executing them, which would only keep other tasks waiting.
 */
export class LostExecutions {
  readonly #client: Pick<WorkerClient, 'cancel'>;
  readonly #triesOf = new Map<string, number>();

  constructor(client: Pick<WorkerClient, 'cancel'>) {
    this.#client = client;
  }

  add(promptId: string): void {
    if (this.#triesOf.size < maxKept) this.#triesOf.set(promptId, 0);
  }

  /**
   * Called whenever the worker seems to be there. An execution that cannot be stopped now is tried again the next time.
   */
  stopAll(): void {
    for (const [promptId, tries] of this.#triesOf) {
      this.#triesOf.delete(promptId);
      this.#client.cancel(promptId).catch(() => {
        if (tries + 1 < maxTries) this.#triesOf.set(promptId, tries + 1);
      });
    }
  }
}
