import { modelNames } from '../../agents/models/model-names.ts';
import type { Routes } from '../../http/app.ts';
import { newId, newTimeOrderedId } from '../../lib/ids.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { CustomAgents } from '../custom-agents/custom-agents.ts';
import { GoalStore } from '../goals/goal-store.ts';
import type { JournalRoom } from '../journal/create-journal.ts';
import { RunStore } from '../runs/records/run-store.ts';
import type { Runs } from '../runs/runs.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import type { ThreadRemoval } from '../threads/thread-removal.ts';
import type { ThreadStore } from '../threads/thread-store.ts';
import type { CopyOfFolders } from '../workspace/copy-folders.ts';
import { AnswerVersions } from './answer-versions.ts';
import { Branches } from './branches.ts';
import { Compactions } from './compactions.ts';
import { HistorySeed } from './history-seed.ts';
import { Replays } from './replays.ts';
import { turnRoutes } from './turn-routes.ts';

/** Creates the operations on the turns of a conversation: make one again, edit it, show its versions, branch from it. */
export function createTurns({
  database,
  runtime,
  access,
  threadStore: store,
  removal,
  runs,
  journal,
  storage,
  recordedRuns,
  customAgents,
  copyFolders,
  models,
  clock,
  log,
}: Pick<ConversationParts, 'database' | 'runtime' | 'models' | 'clock' | 'log'> &
  JournalRoom & {
    access: ThreadAccess;
    threadStore: ThreadStore;
    removal: ThreadRemoval;
    runs: Runs;
    customAgents: Pick<CustomAgents, 'forRun'>;
    copyFolders: CopyOfFolders;
  }): { replays: Replays; routes: Routes } {
  const { states, compact } = runtime;
  const shared = { access, states, store, clock, log };
  const replays = new Replays({
    access,
    states,
    runs: new RunStore(database),
    journal,
    goals: new GoalStore(database),
    newId,
  });
  const routes = turnRoutes({
    replays,
    branches: new Branches({
      ...shared,
      removal,
      seed: new HistorySeed({ storage, runs: recordedRuns, log }),
      runs: recordedRuns,
      copyFolders,
      newId: newTimeOrderedId,
    }),
    compactions: new Compactions({
      ...shared,
      compact,
      modelNames: modelNames(models),
      modelOfAgent: async (owner, name) =>
        (await customAgents.forRun(owner, name, { mayBeNew: false })).model,
    }),
    answers: new AnswerVersions({ access, runs: recordedRuns }),
    runs,
    journal,
  });
  return { replays, routes };
}
