import type { EventLog, LoggedEvent, ScanRange } from './event-log.ts';
import type { RunKey } from './event-storage.ts';

/**
 * The number of events that memory holds, over all threads. The events of the thread that was written to longest ago are dropped
 * first.
 */
const maxEvents = 200_000;

/** Events in memory: limited in number, and gone when the process exits. */
export class MemoryEventLog implements EventLog {
  readonly #threads = new Map<string, LoggedEvent[]>();
  readonly #maxEvents: number;
  #size = 0;

  constructor({ limit = maxEvents }: { limit?: number } = {}) {
    this.#maxEvents = limit;
  }

  async append({ threadId }: RunKey, events: readonly LoggedEvent[]): Promise<void> {
    const all = this.#threads.get(threadId) ?? [];
    this.#threads.delete(threadId); // moves the thread to the end of the order
    this.#threads.set(threadId, all);
    all.push(...events);
    this.#size += events.length;
    for (const oldest of this.#threads.keys()) {
      if (this.#size <= this.#maxEvents || oldest === threadId) return;
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
