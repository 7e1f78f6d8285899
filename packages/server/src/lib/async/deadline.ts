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
  const controller = new AbortController();
  const end = (reason: unknown): void => {
    release();
    controller.abort(reason);
  };
  const follow = (): void => end(parent?.reason);
  const timer = setTimeout(
    () => end(new DOMException(`The time limit of ${limitMs} ms is over.`, 'TimeoutError')),
    limitMs,
  );
  timer.unref();
  const release = (): void => {
    clearTimeout(timer);
    parent?.removeEventListener('abort', follow);
  };
  parent?.addEventListener('abort', follow, { once: true });
  if (parent?.aborted) follow();
  return { signal: controller.signal, release };
}
