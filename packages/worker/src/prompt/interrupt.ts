/** Thrown inside a node when its prompt was interrupted. */
export class InterruptedRun extends Error {}

/**
 * ComfyUI's flag: one for the whole process, cleared when the next prompt starts, so that an interrupt while nothing
 * runs has no effect. It takes effect before a node and at a tick, never in between.
 */
export class Interrupt {
  #isRequested = false;
  #controller = new AbortController();

  /** For the worker's own waits (pacing, held nodes), which end at once. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  request(): void {
    this.#isRequested = true;
    this.#controller.abort();
  }

  clear(): void {
    this.#isRequested = false;
    this.#controller = new AbortController();
  }

  throwIfRequested(): void {
    if (this.#isRequested) throw new InterruptedRun('The run was interrupted.');
  }
}
