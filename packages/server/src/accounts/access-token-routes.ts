import {
  createAccessToken,
  deleteAccessToken,
  listAccessTokens,
} from '@switchyard/contract/accounts/access-token';
import { actorOf } from '../http/access/actor.ts';
import { identityOf } from '../http/access/guard.ts';
import type { Routes } from '../http/app.ts';
import type { AccessTokens } from './access-tokens.ts';

export function accessTokenRoutes({ accessTokens }: { accessTokens: AccessTokens }): Routes {
  return (app) => {
    app.route({
      ...createAccessToken,
      handler: async (request, reply) =>
        reply.code(201).send(await accessTokens.create(identityOf(request), request.body, actorOf(request))),
    });

    app.route({
      ...listAccessTokens,
      handler: async (request) => {
        const items = await accessTokens.list(identityOf(request).userId);
        return { total: items.length, items };
      },
    });

    app.route({
      ...deleteAccessToken,
      handler: async (request) => {
        await accessTokens.delete(actorOf(request), request.params.tokenId);
        return { success: true, message: 'Access token deleted' };
      },
    });
  };
}
