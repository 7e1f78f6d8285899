/** How current the page is. `stale`: the socket has been gone for a while, or is not opened again. */
export interface LiveState {
  state: 'live' | 'reconnecting' | 'stale';
  /** When the last frame came, in milliseconds since the epoch; null before the first one. */
  since: number | null;
}

/** A connection that comes back sooner is not worth a warning. */
export const staleAfterMs = 10_000;

/** The state as components read it: the same object until something changes. */
export class LiveStore {
  #state: LiveState = { state: 'reconnecting', since: null };
  readonly #listeners = new Set<() => void>();

  get = (): LiveState => this.#state;

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** While the page is live, the time of the last frame is kept without a notice: nothing shows it. */
  heard(atMs: number): void {
    if (this.#state.state === 'live') this.#state.since = atMs;
    else this.#set({ state: 'live', since: atMs });
  }

  lost(state: 'reconnecting' | 'stale'): void {
    if (this.#state.state === state) return;
    if (state === 'reconnecting' && this.#state.state === 'stale') return;
    this.#set({ state, since: this.#state.since });
  }

  #set(state: LiveState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
