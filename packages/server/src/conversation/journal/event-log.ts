import type { RunKey } from './event-storage.ts';
import type { StoredEvent } from './stored-event.ts';

/** An event as a log keeps it. */
export interface LoggedEvent extends StoredEvent {
  thread_id: string;
  run_id: string;
  user_id: string | null;
  seq: number;
}

export interface ScanRange {
  threadId: string;
  /** Of which user; null is everybody. */
  scope: string | null;
  runId?: string | undefined;
}

/**
 * A list of events for each run, outside the database: files or memory. It knows no rules: `LoggedEvents` gives numbers,
 * keeps writers of a thread apart and filters.
 */
export interface EventLog {
  /** Resolves when the events are as durable as this log makes anything. */
  append(run: RunKey, events: readonly LoggedEvent[]): Promise<void>;
  /** In the order of `seq` within a run, run by run; one that is torn or spoiled is left out. */
  scan(range: ScanRange): AsyncIterable<LoggedEvent>;
  replace(run: RunKey, events: readonly LoggedEvent[]): Promise<void>;
  removeThread(threadId: string): Promise<void>;
}
