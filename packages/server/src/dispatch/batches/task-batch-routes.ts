import {
  createTaskBatch,
  getTaskBatch,
  listTaskBatchItems,
} from '@switchyard/contract/dispatch/task-batches';
import { ok } from '@switchyard/contract/envelope';
import type { FastifyRequest } from 'fastify';
import { actorOf } from '../../http/access/actor.ts';
import { adminOrOwnerOf } from '../../http/access/guard.ts';
import { requireAdminFor } from '../../http/access/owner-filter.ts';
import type { Routes } from '../../http/app.ts';
import { type OpenStreams, requireSession } from '../../http/streams/open-streams.ts';
import type { TaskBatches } from './task-batches.ts';

const usualWaitSeconds = 10;

export function taskBatchRoutes({
  batches,
  openStreams,
}: {
  batches: TaskBatches;
  openStreams: OpenStreams;
}): Routes {
  const waited = async (request: FastifyRequest, batchId: string, seconds: number) => {
    const owner = adminOrOwnerOf(request);
    if (seconds === 0) return batches.get(owner, batchId);
    const held = openStreams.open('held_request', request);
    try {
      const batch = await batches.wait(owner, batchId, { waitMs: seconds * 1_000, signal: held.signal });
      requireSession(held.signal);
      return batch;
    } finally {
      held.close();
    }
  };

  return (app) => {
    app.route({
      ...createTaskBatch,
      handler: async (request, reply) => {
        requireAdminFor(request, request.body.filter?.owner);
        const { batch, replayed } = await batches.create(request.body, {
          owner: adminOrOwnerOf(request),
          actor: actorOf(request),
          idempotencyKey: request.headers['idempotency-key'] ?? null,
        });
        if (replayed) reply.header('idempotency-replayed', 'true');
        if (batch.id === null || batch.state === 'finished') return ok(batch);
        return ok(await waited(request, batch.id, request.query.wait ?? usualWaitSeconds));
      },
    });

    app.route({
      ...getTaskBatch,
      handler: async (request) => ok(await waited(request, request.params.batchId, request.query.wait ?? 0)),
    });

    app.route({
      ...listTaskBatchItems,
      handler: async (request) => {
        const { outcome, limit = 50, cursor } = request.query;
        const page = { ...(outcome && { outcome }), limit, cursor };
        return ok(await batches.items(adminOrOwnerOf(request), request.params.batchId, page));
      },
    });
  };
}
