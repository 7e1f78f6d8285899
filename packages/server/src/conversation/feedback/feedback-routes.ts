import {
  deleteFeedback,
  deleteOwnFeedback,
  feedbackStats,
  listFeedback,
  listRunFeedback,
  postFeedback,
  putFeedback,
} from '@switchyard/contract/conversation/feedback';
import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { RunFeedback } from './run-feedback.ts';

export function feedbackRoutes(mount: Mount, { feedback }: { feedback: RunFeedback }): Routes {
  return (app) => {
    for (const endpoint of [putFeedback, postFeedback]) {
      app.route({
        ...at(mount, endpoint),
        handler: async (request) => feedback.set(ownerOf(request), named(request.params), request.body),
      });
    }

    app.route({
      ...at(mount, listFeedback),
      handler: async (request) => feedback.list(ownerOf(request), named(request.params)),
    });

    app.route({
      ...at(mount, feedbackStats),
      handler: async (request) => feedback.stats(ownerOf(request), named(request.params)),
    });

    app.route({
      ...at(mount, deleteOwnFeedback),
      handler: async (request) => {
        await feedback.delete(ownerOf(request), named(request.params), null);
        return { success: true };
      },
    });

    app.route({
      ...at(mount, deleteFeedback),
      handler: async (request) => {
        await feedback.delete(ownerOf(request), named(request.params), request.params.feedback_id);
        return { success: true };
      },
    });

    app.route({
      ...at(mount, listRunFeedback),
      handler: async (request) => feedback.listOfRun(ownerOf(request), request.params.run_id),
    });
  };
}

function named({ thread_id, run_id }: { thread_id: string; run_id: string }): {
  threadId: string;
  runId: string;
} {
  return { threadId: thread_id, runId: run_id };
}
