import {
  addToCollection,
  createCollection,
  deleteCollection,
  getCollection,
  listCollectionFiles,
  listCollections,
  moveInCollection,
  removeFromCollection,
  updateCollection,
} from '@switchyard/contract/dispatch/collection';
import { ok } from '@switchyard/contract/envelope';
import type { FastifyRequest } from 'fastify';
import { type Guard, identityOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import type { StoredFiles } from '../files/stored-files.ts';
import type { ShareStore } from '../shares/share-store.ts';
import { CollectionStore } from './collection-store.ts';
import { Collections } from './collections.ts';

export function collectionRoutes({
  database,
  files,
  shares,
  clock,
  events,
  emailsOf,
  guard,
}: Pick<DispatchParts, 'database' | 'clock' | 'events' | 'emailsOf'> & {
  files: StoredFiles;
  shares: ShareStore;
  guard: Pick<Guard, 'originOf'>;
}): Routes {
  const store = new CollectionStore(database);
  const collections = new Collections({ store, files, shares, clock, events, emailsOf });
  const callerOf = (request: FastifyRequest) => ({
    user: identityOf(request).userId,
    origin: guard.originOf(request),
  });
  return (app) => {
    app.route({
      ...createCollection,
      handler: async (request) => ok(await collections.create(callerOf(request), request.body.name)),
    });

    app.route({
      ...listCollections,
      handler: async (request) => ok(await collections.list(callerOf(request), request.query)),
    });

    app.route({
      ...getCollection,
      handler: async (request) => ok(await collections.get(callerOf(request), request.params.collectionId)),
    });

    app.route({
      ...updateCollection,
      handler: async (request) =>
        ok(await collections.change(callerOf(request), request.params.collectionId, request.body)),
    });

    app.route({
      ...deleteCollection,
      handler: async (request) => {
        const { collectionId } = request.params;
        await collections.delete(callerOf(request), collectionId);
        return ok({ id: collectionId });
      },
    });

    app.route({
      ...listCollectionFiles,
      handler: async (request) =>
        ok(await collections.files(callerOf(request), request.params.collectionId, request.query)),
    });

    app.route({
      ...addToCollection,
      handler: async (request) =>
        ok(await collections.add(callerOf(request), { ...request.params, ...request.body })),
    });

    app.route({
      ...removeFromCollection,
      handler: async (request) =>
        ok(await collections.remove(callerOf(request), { ...request.params, ...request.body })),
    });

    app.route({
      ...moveInCollection,
      handler: async (request) =>
        ok(await collections.move(callerOf(request), { ...request.params, ...request.body })),
    });
  };
}
