import {
  listUnreadThreads,
  markThreadRead,
  markThreadUnread,
} from '@switchyard/contract/conversation/read-threads';
import { identityOf, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { ReadThreads } from './read-threads.ts';

export function readThreadRoutes({ readThreads }: { readThreads: ReadThreads }): Routes {
  return (app) => {
    app.route({
      ...markThreadRead,
      handler: async (request) => {
        const { thread_id: threadId } = request.params;
        return readThreads.markRead(ownerOf(request), threadId, request.body.run_ended_at ?? null);
      },
    });

    app.route({
      ...markThreadUnread,
      handler: async (request) => readThreads.markUnread(ownerOf(request), request.params.thread_id),
    });

    app.route({
      ...listUnreadThreads,
      handler: async (request) => {
        const { limit = 50, cursor } = request.query;
        return readThreads.list(identityOf(request).userId, { limit, cursor });
      },
    });
  };
}
