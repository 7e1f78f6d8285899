import { linkedAbort } from './linked-abort.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** Forgets the timer and the parent. Needed only where many deadlines end early. */
  release(): void;
}

/**
 * A signal that aborts with its parent, or when its time is over. `AbortSignal.any` holds its sources weakly: a signal of
 * `AbortSignal.timeout` among them may be collected before its time, and what waits for it then waits for ever.
 */
export function deadline(limitMs: number, parent?: AbortSignal): Deadline {
  const { signal, abort, release: leaveParent } = linkedAbort(parent);
  const timer = setTimeout(
    () => abort(new DOMException(`The time limit of ${limitMs} ms is over.`, 'TimeoutError')),
    limitMs,
  );
  timer.unref();
  const release = (): void => {
    clearTimeout(timer);
    leaveParent();
  };
  signal.addEventListener('abort', release, { once: true });
  if (signal.aborted) release();
  return { signal, release };
}
