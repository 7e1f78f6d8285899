import type { RunKey } from './event-storage.ts';
import type { StoredEvent } from './stored-event.ts';

/** An event as a log stores it. */
export interface LoggedEvent extends StoredEvent {
  thread_id: string;
  run_id: string;
  user_id: string | null;
  seq: number;
}

export interface ScanRange {
  threadId: string;
  /** The id of the user; null reads the events of all users. */
  scope: string | null;
  runId?: string | undefined;
}

/**
 * A list of events for each run, outside the database: files or memory. It has no rules of its own: `LoggedEvents` numbers the
 * events, keeps the writers of a thread apart and filters.
 */
export interface EventLog {
  /** Resolves when the events are as durable as this log makes them. */
  append(run: RunKey, events: readonly LoggedEvent[]): Promise<void>;
  /** In the order of `seq` within a run, run by run. Torn or damaged events are left out. */
  scan(range: ScanRange): AsyncIterable<LoggedEvent>;
  replace(run: RunKey, events: readonly LoggedEvent[]): Promise<void>;
  removeThread(threadId: string): Promise<void>;
}
