import { useSyncExternalStore } from 'react';

const tickMs = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** The time, moved on once a second by one timer for the whole page. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}

/**
 * Returns the result of `valueAt` for the present time. The component is drawn again only in the seconds in which that
 * changes.
 */
export function useAtNow<Value extends string | number | boolean>(valueAt: (nowMs: number) => Value): Value {
  return useSyncExternalStore(listen, () => valueAt(now));
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, tickMs);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
