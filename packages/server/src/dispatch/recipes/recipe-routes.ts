import { getFileLineage } from '@switchyard/contract/dispatch/lineage';
import { compareFileRecipes, getFileRecipe, makeFileAgain } from '@switchyard/contract/dispatch/recipe';
import { ok } from '@switchyard/contract/envelope';
import { adminOrOwnerOf, type Guard, identityOf, isAdmin } from '../../http/access/guard.ts';
import { readerOf } from '../../http/access/reader.ts';
import type { Routes } from '../../http/app.ts';
import { traceOf } from '../../http/exchange/request-traces.ts';
import type { Lineage } from './lineage.ts';
import type { Recipes } from './recipes.ts';

export function recipeRoutes({
  recipes,
  lineage,
  guard,
}: {
  recipes: Recipes;
  lineage: Lineage;
  guard: Pick<Guard, 'originOf'>;
}): Routes {
  return (app) => {
    app.route({
      ...getFileRecipe,
      handler: async (request) => ok(await recipes.get(adminOrOwnerOf(request), request.params.fileId)),
    });

    app.route({
      ...compareFileRecipes,
      handler: async (request) => {
        const { fileId } = request.params;
        const others = request.query.with.split(',');
        return ok(await recipes.difference(adminOrOwnerOf(request), [fileId, ...others]));
      },
    });

    app.route({
      ...makeFileAgain,
      handler: async (request, reply) => {
        const reader = readerOf(request, guard);
        const { task, replayed } = await recipes.again(reader, request.params.fileId, {
          changes: request.body,
          meta: {
            userId: identityOf(request).userId,
            byAdmin: isAdmin(identityOf(request)),
            origin: reader.origin,
            requestId: request.id,
            traceparent: traceOf(request),
            idempotencyKey: request.headers['idempotency-key'] ?? null,
          },
        });
        if (replayed) reply.header('idempotency-replayed', 'true');
        return ok(task);
      },
    });

    app.route({
      ...getFileLineage,
      handler: async (request) => {
        const { direction = 'both', depth = 20 } = request.query;
        return ok(await lineage.of(readerOf(request, guard), request.params.fileId, { direction, depth }));
      },
    });
  };
}
