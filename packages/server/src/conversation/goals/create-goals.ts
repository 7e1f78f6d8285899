import type { Routes } from '../../http/app.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { ConversationTables } from '../tables.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { goalRoutes } from './goal-routes.ts';
import { forgetGoal, GoalStore } from './goal-store.ts';
import { Goals } from './goals.ts';

export function createGoals({
  database,
  removals,
  access,
  clock,
}: Pick<ConversationParts, 'database' | 'removals' | 'clock'> & {
  access: Pick<ThreadAccess, 'require'>;
}): Routes {
  removals.register<ConversationTables>({
    forgetThread: async (trx, threadId) => {
      await forgetGoal(trx, threadId);
    },
  });
  return goalRoutes({ goals: new Goals({ access, store: new GoalStore(database), clock }) });
}
