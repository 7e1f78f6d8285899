import { mounts } from '@switchyard/contract/conversation/mounts';
import type { Routes } from '../../http/app.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { EventStorage } from './event-storage.ts';
import { Journal } from './journal.ts';
import { JsonlEventLog } from './jsonl-event-log.ts';
import { LoggedEvents } from './logged-events.ts';
import { MemoryEventLog } from './memory-event-log.ts';
import { RecordedRunStore } from './recorded-run-store.ts';
import { type RunEventRoutesOptions, runEventRoutes } from './run-event-routes.ts';
import { isThreadDeleted, RunEventStore } from './run-event-store.ts';
import { type FeedbackOfRuns, ThreadMessages } from './thread-messages.ts';
import { ThreadTokens } from './thread-tokens.ts';

export type EventBackend = 'db' | 'jsonl' | 'memory';

export interface EventsConfiguration {
  backend: EventBackend;
  maxTraceBytes: number;
  trackTokens: boolean;
}

/** The record of the runs. */
export interface JournalRoom {
  journal: Journal;
  storage: EventStorage;
  recordedRuns: RecordedRunStore;
}

export function createJournal(
  { database, home, clock, log }: Pick<ConversationParts, 'database' | 'home' | 'clock' | 'log'>,
  events: EventsConfiguration,
): JournalRoom {
  const storage = openEventStorage({ backend: events.backend, database, home });
  const journal = new Journal({
    storage,
    ...events,
    now: clock,
    onFlushFailed: (error) => log.warn({ err: error }, 'Events of a run could not be written yet'),
  });
  return { journal, storage, recordedRuns: new RecordedRunStore(database) };
}

export function openEventStorage({
  backend,
  database,
  home,
}: Pick<ConversationParts, 'database' | 'home'> & { backend: EventBackend }): EventStorage {
  if (backend === 'db') return new RunEventStore(database);
  const log = backend === 'jsonl' ? new JsonlEventLog({ home }) : new MemoryEventLog();
  return new LoggedEvents({ log, database, isDeleted: (id) => isThreadDeleted(database.read, id) });
}

/** The pages that read the record, with what other rooms add to it. */
export function recordRoutes({
  journal,
  storage,
  recordedRuns,
  feedbackOf,
  contextUsage,
  ...found
}: JournalRoom &
  Pick<RunEventRoutesOptions, 'requireThread' | 'threadOfRun'> & {
    feedbackOf: FeedbackOfRuns;
    contextUsage: ConstructorParameters<typeof ThreadTokens>[0]['contextUsage'];
  }): Routes[] {
  const messages = new ThreadMessages({ storage, runs: recordedRuns, feedbackOf });
  const tokens = new ThreadTokens({ runs: recordedRuns, journal, contextUsage });
  return mounts.map((mount) => runEventRoutes(mount, { journal, messages, tokens, ...found }));
}
