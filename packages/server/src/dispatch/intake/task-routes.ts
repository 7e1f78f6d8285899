import {
  cancelTask,
  countTasks,
  getTask,
  listTasks,
  moveTaskToFront,
  retryTask,
  submitTask,
} from '@switchyard/contract/dispatch/tasks';
import { ok } from '@switchyard/contract/envelope';
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../../http/access/actor.ts';
import { type Guard, identityOf, isAdmin } from '../../http/access/guard.ts';
import { requireAdminFor } from '../../http/access/owner-filter.ts';
import { readerOf } from '../../http/access/reader.ts';
import type { Routes } from '../../http/app.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import { requireSession } from '../../http/streams/open-streams.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { TaskFront } from './task-front.ts';
import type { Tasks } from './tasks.ts';

export function taskRoutes({
  tasks,
  front,
  openStreams,
  guard,
}: Pick<DispatchParts, 'openStreams' | 'guard'> & { tasks: Tasks; front: TaskFront }): Routes {
  return (app) => {
    app.route({
      ...submitTask,
      handler: async (request, reply) => {
        const { task, replayed } = await tasks.submit(request.body, {
          ...metaOf(request, guard),
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
        return ok(await tasks.list(readerOf(request, guard), request.query));
      },
    });

    app.route({
      ...countTasks,
      handler: async (request) => {
        requireAdminFor(request, request.query.owner);
        return ok(await tasks.counts(readerOf(request, guard).owner, request.query));
      },
    });

    app.route({
      ...getTask,
      handler: async (request) => {
        const reader = readerOf(request, guard);
        const { taskId } = request.params;
        if (!request.query.wait) return ok(await tasks.get(reader, taskId));
        const held = openStreams.open('held_request', request);
        try {
          const waitMs = request.query.wait * 1000;
          const task = await tasks.wait(reader, taskId, { waitMs, signal: held.signal });
          requireSession(held.signal);
          return ok(task);
        } finally {
          held.close();
        }
      },
    });

    app.route({
      ...cancelTask,
      handler: async (request) =>
        ok(await tasks.cancel(readerOf(request, guard), request.params.taskId, actorOf(request))),
    });

    app.route({
      ...retryTask,
      handler: async (request) => {
        const meta = { ...metaOf(request, guard), instanceId: request.query.instanceId };
        return ok(await tasks.retry(readerOf(request, guard), request.params.taskId, meta));
      },
    });

    app.route({
      ...moveTaskToFront,
      handler: async (request) => {
        const reader = readerOf(request, guard);
        await front.move(reader.owner, request.params.taskId, actorOf(request));
        return ok(await tasks.get(reader, request.params.taskId));
      },
    });
  };
}

function metaOf(request: FastifyRequest, guard: Pick<Guard, 'originOf'>) {
  return {
    userId: identityOf(request).userId,
    byAdmin: isAdmin(identityOf(request)),
    origin: guard.originOf(request),
    requestId: request.id,
    traceparent: traceOf(request),
    idempotencyKey: null,
    actor: actorOf(request),
  };
}
