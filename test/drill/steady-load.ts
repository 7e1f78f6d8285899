import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionLost, type DispatchClient } from '../chaos/dispatch-client.ts';

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'drill' } },
};

const submitters = 3;
/** The workers do twice as much, so that what waits has a reason in the replicas. */
const pauseMs = 800;
const cancelPauseMs = 1_500;
/** A replica that is gone may stand for a moment in the way of each try. */
const maxTries = 400;
const retryMs = 50;

/** Clients that submit and cancel tasks until they are told to stop, and repeat what was not answered. */
export class SteadyLoad {
  readonly #client: DispatchClient;
  readonly #random: () => number;
  #isStopping = false;
  #working: Promise<unknown> = Promise.resolve();
  /** Requests that were not answered, or by a proxy in place of a replica. */
  failures: string[] = [];

  constructor(client: DispatchClient, random: () => number) {
    this.#client = client;
    this.#random = random;
  }

  start(): void {
    this.#isStopping = false;
    this.#working = Promise.all([
      ...Array.from({ length: submitters }, () => this.#submit()),
      this.#cancel(),
    ]);
    // The failure is thrown by `stop`.
    this.#working.catch(() => undefined);
  }

  /** Resolves when every submission is answered. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#working;
  }

  async #submit(): Promise<void> {
    while (!this.#isStopping) {
      const key = randomUUID();
      await this.#untilAnswered(() => this.#client.submit(workflow, key));
      await sleep(pauseMs);
    }
  }

  async #cancel(): Promise<void> {
    while (!this.#isStopping) {
      await sleep(cancelPauseMs);
      const newest = [...this.#client.accepted].slice(-20);
      const taskId = newest[Math.floor(this.#random() * newest.length)];
      if (taskId !== undefined) await this.#untilAnswered(() => this.#client.cancel(taskId));
    }
  }

  async #untilAnswered(ask: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ConnectionLost) || attempt >= maxTries) throw error;
        this.failures.push(error.message);
        await sleep(retryMs);
      }
    }
  }
}
