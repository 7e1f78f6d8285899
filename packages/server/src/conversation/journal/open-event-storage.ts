import type { Database } from '../../platform/database/database.ts';
import type { ConversationTables } from '../tables.ts';
import type { EventStorage } from './event-storage.ts';
import { JsonlEventLog } from './jsonl-event-log.ts';
import { LoggedEvents } from './logged-events.ts';
import { MemoryEventLog } from './memory-event-log.ts';
import { isThreadDeleted, RunEventStore } from './run-event-store.ts';

export type EventBackend = 'db' | 'jsonl' | 'memory';

interface OpenOptions {
  backend: EventBackend;
  database: Database<ConversationTables>;
  /** The data home. */
  home: string;
}

export function openEventStorage({ backend, database, home }: OpenOptions): EventStorage {
  if (backend === 'db') return new RunEventStore(database);
  const log = backend === 'jsonl' ? new JsonlEventLog({ home }) : new MemoryEventLog();
  return new LoggedEvents({ log, database, isDeleted: (id) => isThreadDeleted(database.read, id) });
}
