import type { Routes } from '../../http/app.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId, newTimeOrderedId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { GoalStore } from '../goals/goal-store.ts';
import type { EventStorage } from '../journal/event-storage.ts';
import type { Journal } from '../journal/journal.ts';
import type { RecordedRunStore } from '../journal/recorded-run-store.ts';
import type { RunStore } from '../runs/records/run-store.ts';
import type { Runs } from '../runs/runs.ts';
import type { SavedStates } from '../threads/saved-states.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadRemoval } from '../threads/thread-removal.ts';
import type { ThreadStore } from '../threads/thread-store.ts';
import type { CopyOfFolders } from '../workspace/copy-folders.ts';
import { AnswerVersions } from './answer-versions.ts';
import { Branches } from './branches.ts';
import { Compactions, type CompactionsOptions } from './compactions.ts';
import { HistorySeed } from './history-seed.ts';
import { Replays } from './replays.ts';
import { turnRoutes } from './turn-routes.ts';

interface TurnsDependencies extends Pick<CompactionsOptions, 'compact' | 'modelNames' | 'modelOfAgent'> {
  access: ThreadAccess;
  states: SavedStates;
  store: ThreadStore;
  removal: ThreadRemoval;
  runs: Runs;
  runStore: RunStore;
  goals: GoalStore;
  recordedRuns: RecordedRunStore;
  journal: Journal;
  storage: EventStorage;
  copyFolders: CopyOfFolders;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

/** What a page does with the turns of a conversation: make one again, edit it, look at its versions, branch from it. */
export function createTurns(dependencies: TurnsDependencies): Routes {
  const { access, states, store, removal, runs, runStore, recordedRuns, journal, storage, goals } =
    dependencies;
  const { copyFolders, clock, log } = dependencies;
  const seed = new HistorySeed({ storage, runs: recordedRuns, log });
  return turnRoutes({
    replays: new Replays({ access, states, runs: runStore, journal, goals, newId }),
    branches: new Branches({
      access,
      states,
      store,
      removal,
      seed,
      runs: recordedRuns,
      copyFolders,
      newId: newTimeOrderedId,
      clock,
      log,
    }),
    compactions: new Compactions(dependencies),
    answers: new AnswerVersions({ access, runs: recordedRuns }),
    runs,
    journal,
  });
}
