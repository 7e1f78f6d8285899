import { mounts } from '@switchyard/contract/conversation/mounts';
import type { Routes } from '../../http/app.ts';
import { newId } from '../../lib/ids.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { feedbackRoutes } from './feedback-routes.ts';
import { FeedbackStore, forgetFeedback, forgetFeedbackOfUser } from './feedback-store.ts';
import { RunFeedback } from './run-feedback.ts';

export function createFeedback({
  database,
  removals,
  access,
  clock,
}: Pick<ConversationParts, 'database' | 'removals' | 'clock'> & { access: ThreadAccess }): {
  feedback: FeedbackStore;
  routes: Routes[];
} {
  const store = new FeedbackStore(database);
  removals.register({ forgetThread: forgetFeedback, forgetUser: forgetFeedbackOfUser });
  const isAvailable = database.backend !== 'memory';
  const feedback = new RunFeedback({ store, access, isAvailable, clock, newId });
  return { feedback: store, routes: mounts.map((mount) => feedbackRoutes(mount, { feedback })) };
}
