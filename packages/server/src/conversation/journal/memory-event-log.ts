import type { EventLog, LoggedEvent, ScanRange } from './event-log.ts';
import type { RunKey } from './event-storage.ts';

/** The events that memory holds, of all threads; the thread that was written to longest ago is forgotten first. */
const mostEvents = 200_000;

/** Gone at exit, and bounded. */
export class MemoryEventLog implements EventLog {
  readonly #threads = new Map<string, LoggedEvent[]>();
  readonly #mostEvents: number;
  #size = 0;

  constructor({ limit = mostEvents }: { limit?: number } = {}) {
    this.#mostEvents = limit;
  }

  async append({ threadId }: RunKey, events: readonly LoggedEvent[]): Promise<void> {
    const all = this.#threads.get(threadId) ?? [];
    this.#threads.delete(threadId); // to the end of the order
    this.#threads.set(threadId, all);
    all.push(...events);
    this.#size += events.length;
    for (const oldest of this.#threads.keys()) {
      if (this.#size <= this.#mostEvents || oldest === threadId) return;
      this.#put(oldest, []);
    }
  }

  async *scan({ threadId, scope, runId }: ScanRange): AsyncGenerator<LoggedEvent> {
    for (const event of this.#threads.get(threadId) ?? []) {
      if (runId !== undefined && event.run_id !== runId) continue;
      if (scope === null || event.user_id === scope) yield event;
    }
  }

  async replace({ threadId, runId }: RunKey, events: readonly LoggedEvent[]): Promise<void> {
    const others = (this.#threads.get(threadId) ?? []).filter((event) => event.run_id !== runId);
    const all = [...others, ...events].sort((one, other) => one.seq - other.seq);
    this.#put(threadId, all);
  }

  async removeThread(threadId: string): Promise<void> {
    this.#put(threadId, []);
  }

  #put(threadId: string, events: LoggedEvent[]): void {
    this.#size += events.length - (this.#threads.get(threadId)?.length ?? 0);
    this.#threads.delete(threadId);
    if (events.length > 0) this.#threads.set(threadId, events);
  }
}
