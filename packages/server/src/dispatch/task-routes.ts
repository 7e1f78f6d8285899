import { cancelTask, getTask, listTasks, retryTask, submitTask } from '@switchyard/contract/dispatch/tasks';
import { ok } from '@switchyard/contract/envelope';
import type { FastifyRequest } from 'fastify';
import type { Routes } from '../http/app.ts';
import { adminOrOwnerOf, identityOf } from '../http/guard.ts';
import type { OpenStreams } from '../http/open-streams.ts';
import { requireAdminFor } from '../http/owner-filter.ts';
import type { Tasks } from './tasks.ts';

export function taskRoutes({ tasks, openStreams }: { tasks: Tasks; openStreams: OpenStreams }): Routes {
  return (app) => {
    app.route({
      ...submitTask,
      handler: async (request, reply) => {
        const { task, replayed } = await tasks.submit(request.body, {
          ...metaOf(request),
          idempotencyKey: request.headers['idempotency-key'] ?? null,
        });
        if (replayed) reply.header('idempotency-replayed', 'true');
        return ok(task);
      },
    });

    app.route({
      ...listTasks,
      handler: async (request) => {
        requireAdminFor(request, request.query.owner);
        return ok(await tasks.list(adminOrOwnerOf(request), request.query));
      },
    });

    app.route({
      ...getTask,
      handler: async (request) => {
        const owner = adminOrOwnerOf(request);
        const { taskId } = request.params;
        if (!request.query.wait) return ok(await tasks.get(owner, taskId));
        const held = openStreams.open('held_request', request);
        try {
          return ok(
            await tasks.wait(owner, taskId, { waitMs: request.query.wait * 1000, signal: held.signal }),
          );
        } finally {
          held.close();
        }
      },
    });

    app.route({
      ...cancelTask,
      handler: async (request) => ok(await tasks.cancel(adminOrOwnerOf(request), request.params.taskId)),
    });

    app.route({
      ...retryTask,
      handler: async (request) =>
        ok(await tasks.retry(adminOrOwnerOf(request), request.params.taskId, metaOf(request))),
    });
  };
}

function metaOf(request: FastifyRequest) {
  return { userId: identityOf(request).userId, requestId: request.id, idempotencyKey: null };
}
