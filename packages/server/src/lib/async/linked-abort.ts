export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Removes the listener from the parent, which may live for days. */
  release(): void;
}

/**
 * A signal that aborts with its parent or alone. (`AbortSignal.any` keeps some memory for each signal for as long as
 * the parent lives.)
 */
export function linkedAbort(parent?: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  parent?.addEventListener('abort', follow, { once: true });
  if (parent?.aborted) follow();
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => parent?.removeEventListener('abort', follow),
  };
}
