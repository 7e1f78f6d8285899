import { mounts } from '@switchyard/contract/conversation/mounts';
import type { Routes } from '../../http/app.ts';
import { toIso } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { unitClock } from '../../platform/database/unit-clock.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { RunFollowers } from '../runs/ending/run-followers.ts';
import type { Runs } from '../runs/runs.ts';
import type { ConversationTables } from '../tables.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { cronRoutes } from './cron-routes.ts';
import { Crons } from './crons.ts';
import { ScheduleClock } from './schedule-clock.ts';
import { forgetSchedulesOfUser, releaseThread, ScheduleStore } from './schedule-store.ts';
import { scheduledTaskRoutes } from './scheduled-task-routes.ts';
import { ScheduledTasks } from './scheduled-tasks.ts';
import { Schedules } from './schedules.ts';

const threadGone = 'Its thread was deleted. Give it another one, or a fresh thread for each run.';

/** Creates the runs that begin by themselves. */
export function createSchedules(
  parts: Pick<ConversationParts, 'database' | 'jobs' | 'removals' | 'mayStartRuns' | 'clock' | 'log'> & {
    runs: Runs;
    access: ThreadAccess;
    followers: RunFollowers;
  },
): { crons: Crons; routes: Routes[] } {
  const { database, access, followers, removals, mayStartRuns: mayStart, clock } = parts;
  const store = new ScheduleStore(database);
  const clockwork = new ScheduleClock({
    ...parts,
    store,
    mayStart,
    unitClock: unitClock(database, clock),
  });
  followers.register({ plan: (trx, run) => clockwork.plan(trx, run), ended: () => undefined });
  removals.register<ConversationTables>({
    forgetThread: (trx, threadId) => releaseThread(trx, threadId, { at: toIso(clock()), why: threadGone }),
    forgetUser: forgetSchedulesOfUser,
  });
  const schedules = new Schedules({ ...parts, store, clockwork, newId });
  const crons = new Crons(schedules);
  return {
    crons,
    routes: [
      scheduledTaskRoutes({ tasks: new ScheduledTasks({ schedules, access }) }),
      ...mounts.map((mount) => cronRoutes(mount, { crons })),
    ],
  };
}
