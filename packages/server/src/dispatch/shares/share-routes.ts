import {
  giveShare,
  listReceivedShares,
  listShares,
  takeBackShare,
} from '@switchyard/contract/dispatch/share';
import { ok } from '@switchyard/contract/envelope';
import { actorOf } from '../../http/access/actor.ts';
import { adminOrOwnerOf, type Guard, identityOf } from '../../http/access/guard.ts';
import { requireAdminFor } from '../../http/access/owner-filter.ts';
import type { Routes } from '../../http/app.ts';
import type { Shares } from './shares.ts';

export function shareRoutes({ shares, guard }: { shares: Shares; guard: Pick<Guard, 'originOf'> }): Routes {
  return (app) => {
    app.route({
      ...giveShare,
      handler: async (request) => ok(await shares.give(actorOf(request), request.body)),
    });

    app.route({
      ...listShares,
      handler: async (request) => {
        const { userId } = identityOf(request);
        const { owner = userId, limit = 50, offset = 0, ...filter } = request.query;
        requireAdminFor(request, owner);
        return ok(await shares.list(owner, { ...filter, limit, offset }));
      },
    });

    app.route({
      ...listReceivedShares,
      handler: async (request) => {
        const { limit = 50, offset = 0, kind } = request.query;
        const reader = { userId: identityOf(request).userId, origin: guard.originOf(request) };
        return ok(await shares.received(reader, { kind, limit, offset }));
      },
    });

    app.route({
      ...takeBackShare,
      handler: async (request) => {
        const { shareId } = request.params;
        await shares.takeBack(adminOrOwnerOf(request), actorOf(request), shareId);
        return ok({ id: shareId });
      },
    });
  };
}
