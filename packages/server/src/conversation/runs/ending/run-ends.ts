import { newDeferred } from '../../../lib/async/deferred.ts';
import type { RunRow } from '../../tables.ts';

/** A finished run, with the values that it left when this process knows them. */
export interface EndedRun {
  run: RunRow;
  /** Undefined when they have to be read. */
  values: Record<string, unknown> | undefined;
}

/** Listens from now on. The caller either awaits the end or calls `forget`. */
export interface ExpectedEnd {
  /** Rejects with the signal's reason. */
  ended: (signal: AbortSignal) => Promise<EndedRun>;
  forget: () => void;
}

type Listener = (ended: EndedRun) => void;

/** Tells callers that wait for the end of a run, once it is on disk. */
export class RunEnds {
  readonly #listenersOf = new Map<string, Set<Listener>>();

  /** Ids of runs whose end a caller awaits. */
  get awaited(): string[] {
    return [...this.#listenersOf.keys()];
  }

  isAwaited(runId: string): boolean {
    return this.#listenersOf.has(runId);
  }

  announce(ended: EndedRun): void {
    const { run_id } = ended.run;
    const listeners = this.#listenersOf.get(run_id);
    this.#listenersOf.delete(run_id);
    for (const listener of listeners ?? []) listener(ended);
  }

  expect(runId: string): ExpectedEnd {
    const end = newDeferred<EndedRun>();
    const listener: Listener = (ended) => end.resolve(ended);
    const listeners = this.#listenersOf.get(runId) ?? new Set();
    this.#listenersOf.set(runId, listeners.add(listener));
    const forget = (): void => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listenersOf.get(runId) === listeners) this.#listenersOf.delete(runId);
    };
    const ended = async (signal: AbortSignal): Promise<EndedRun> => {
      const onAbort = (): void => end.reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      try {
        return await end.promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        forget();
      }
    };
    return { ended, forget };
  }
}
