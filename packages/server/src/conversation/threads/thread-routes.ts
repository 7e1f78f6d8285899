import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import {
  copyThread,
  countThreads,
  createThread,
  deleteThread,
  getThread,
  patchState,
  patchThread,
  pruneThreads,
  searchThreads,
} from '@switchyard/contract/conversation/threads';
import { customMetadataOf } from '../../http/access/custom-calls.ts';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { mountRules } from '../mount-rules.ts';
import type { ThreadLists } from './thread-lists.ts';
import { threadFilter, threadListRequest, threadRequest, threadTtl } from './thread-requests.ts';
import type { Threads } from './threads.ts';

export function threadRoutes(
  mount: Mount,
  { threads, lists }: { threads: Threads; lists: ThreadLists },
): Routes {
  const rules = mountRules[mount];
  return (app) => {
    app.route({
      ...at(mount, createThread),
      handler: async (request) => threads.create(ownerOf(request), threadRequest(request.body), rules),
    });

    app.route({
      ...at(mount, searchThreads),
      handler: async (request, reply) => {
        const list = await lists.page(ownerOf(request), threadListRequest(request.body, rules));
        if (list.total !== null) reply.header('x-pagination-total', String(list.total));
        if (list.nextOffset !== null) reply.header('x-pagination-next', String(list.nextOffset));
        if (list.isPartial) reply.header('x-search-partial', 'true');
        return list.threads;
      },
    });

    app.route({
      ...at(mount, countThreads),
      handler: async (request, reply) => {
        const { count, isMinimum } = await lists.count(ownerOf(request), threadFilter(request.body));
        if (isMinimum) reply.header('x-total-is-minimum', 'true');
        return count;
      },
    });

    app.route({
      ...at(mount, pruneThreads),
      handler: async (request) => {
        const { thread_ids, strategy = 'delete' } = request.body;
        return { pruned_count: await threads.prune(ownerOf(request), thread_ids, strategy) };
      },
    });

    app.route({
      ...at(mount, getThread),
      handler: async (request) => threads.get(ownerOf(request), request.params.thread_id),
    });

    app.route({
      ...at(mount, patchThread),
      handler: async (request, reply) => {
        const { thread_id } = request.params;
        const { title = null, metadata, ttl } = request.body;
        const change = { title, metadata: metadata ?? {}, ttl: threadTtl(ttl), rules };
        const thread = await threads.patch(ownerOf(request), thread_id, change);
        if (!prefersMinimal(request.headers.prefer)) return thread;
        return reply.header('preference-applied', 'return=minimal').code(204).send(null);
      },
    });

    app.route({
      ...at(mount, patchState),
      handler: async (request, reply) => {
        const change = { title: null, metadata: request.body.metadata ?? {}, ttl: null, rules };
        await threads.patch(ownerOf(request), request.params.thread_id, change);
        return reply.code(204).send(null);
      },
    });

    app.route({
      ...at(mount, deleteThread),
      handler: async (request) => {
        const { thread_id } = request.params;
        await threads.delete(ownerOf(request), thread_id);
        return { success: true, message: `Deleted local thread data for ${thread_id}` };
      },
    });

    app.route({
      ...at(mount, copyThread),
      handler: async (request) => {
        const metadata = customMetadataOf(request);
        return threads.copy(ownerOf(request), request.params.thread_id, { rules, metadata });
      },
    });
  };
}

function prefersMinimal(prefer: string | undefined): boolean {
  return (prefer ?? '').split(',').some((requested) => requested.trim().toLowerCase() === 'return=minimal');
}
