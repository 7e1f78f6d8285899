import {
  cancelSweep,
  createSweep,
  deleteSweep,
  foreseeSweep,
  getSweep,
  listSweepCells,
  listSweeps,
  renameSweep,
  retrySweep,
} from '@switchyard/contract/dispatch/sweep';
import { ok } from '@switchyard/contract/envelope';
import { type Guard, identityOf, isAdmin, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { WorkflowSweeps } from './workflow-sweeps.ts';

export function sweepRoutes({
  sweeps,
  guard,
}: {
  sweeps: WorkflowSweeps;
  guard: Pick<Guard, 'originOf'>;
}): Routes {
  return (app) => {
    app.route({
      ...createSweep,
      handler: async (request, reply) => {
        const { sweep, replayed } = await sweeps.create(request.body, {
          userId: identityOf(request).userId,
          byAdmin: isAdmin(identityOf(request)),
          requestId: request.id,
          idempotencyKey: request.headers['idempotency-key'] ?? null,
        });
        if (replayed) reply.header('idempotency-replayed', 'true');
        return ok(sweep);
      },
    });

    app.route({
      ...foreseeSweep,
      handler: async (request) => {
        const { userId } = identityOf(request);
        return ok(await sweeps.foresee(request.body, { userId, byAdmin: isAdmin(identityOf(request)) }));
      },
    });

    app.route({
      ...listSweeps,
      handler: async (request) => {
        const { workflowId, limit = 50, offset = 0 } = request.query;
        return ok(await sweeps.list(ownerOf(request), { workflowId, limit, offset }));
      },
    });

    app.route({
      ...getSweep,
      handler: async (request) => ok(await sweeps.get(ownerOf(request), request.params.sweepId)),
    });

    app.route({
      ...renameSweep,
      handler: async (request) =>
        ok(await sweeps.rename(ownerOf(request), request.params.sweepId, request.body.name)),
    });

    app.route({
      ...listSweepCells,
      handler: async (request) => {
        const { limit = 100, cursor = '0' } = request.query;
        const reader = { owner: ownerOf(request), origin: guard.originOf(request) };
        return ok(await sweeps.cells(reader, request.params.sweepId, { from: Number(cursor), limit }));
      },
    });

    app.route({
      ...cancelSweep,
      handler: async (request) => ok(await sweeps.cancel(ownerOf(request), request.params.sweepId)),
    });

    app.route({
      ...retrySweep,
      handler: async (request) =>
        ok(await sweeps.retry(ownerOf(request), request.params.sweepId, request.body.states)),
    });

    app.route({
      ...deleteSweep,
      handler: async (request) => {
        const { sweepId } = request.params;
        await sweeps.delete(ownerOf(request), sweepId);
        return ok({ id: sweepId });
      },
    });
  };
}
