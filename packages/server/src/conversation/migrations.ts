import type { Migration } from '../platform/database/migrate.ts';
import * as first from './migrations/001-conversation.ts';
import * as usage from './migrations/002-usage.ts';
import * as runSpans from './migrations/003-run-spans.ts';
import * as usageByAgent from './migrations/004-usage-by-agent.ts';
import * as unread from './migrations/006-unread-threads.ts';
import * as threadTtls from './migrations/011-thread-ttls.ts';
import * as contextOfRuns from './migrations/017-context-of-runs.ts';
import * as titlesAndPins from './migrations/018-titles-and-pins.ts';
import * as schedules from './migrations/021-schedules.ts';
import * as storeVectors from './migrations/024-store-vectors.ts';
import * as threadGoals from './migrations/025-thread-goals.ts';
import * as longSnapshots from './migrations/026-long-snapshots.ts';
import * as callersOfSchedules from './migrations/027-callers-of-schedules.ts';
import * as noIndexesOfEvents from './migrations/028-no-indexes-of-events.ts';
import * as assistantsOfThreads from './migrations/029-assistants-of-threads.ts';
import * as mcpTasks from './migrations/030-mcp-tasks.ts';

export const conversationMigrations: readonly Migration[] = [
  first,
  usage,
  runSpans,
  usageByAgent,
  unread,
  threadTtls,
  contextOfRuns,
  titlesAndPins,
  schedules,
  storeVectors,
  threadGoals,
  longSnapshots,
  callersOfSchedules,
  noIndexesOfEvents,
  assistantsOfThreads,
  mcpTasks,
];
