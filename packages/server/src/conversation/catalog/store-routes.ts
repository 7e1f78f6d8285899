import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import {
  deleteStoreItem,
  getStoreItem,
  listStoreNamespaces,
  putStoreItem,
  searchStoreItems,
} from '@switchyard/contract/conversation/store';
import type { StoreItems } from '../../agents/store/store-items.ts';
import { mayChange, ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { AppError } from '../../lib/app-error.ts';

export function storeRoutes(mount: Mount, { items }: { items: StoreItems }): Routes {
  return (app) => {
    app.route({
      ...at(mount, putStoreItem),
      handler: async (request, reply) => {
        const { namespace, key, value, ttl = null, index = null } = request.body;
        await items.put(ownerOf(request), namespace, { key, value, ttlMinutes: ttl, index });
        return reply.code(204).send(null);
      },
    });

    app.route({
      ...at(mount, getStoreItem),
      handler: async (request, reply) => {
        const { namespace = '', key, refresh_ttl: refreshTtl = mayChange(request) } = request.query;
        const item = await items.get(ownerOf(request), namespace.split('.'), { key, refreshTtl });
        // "Nothing" is `null` on the wire; the framework would send no body at all.
        return item ?? reply.type('application/json').serializer(String).send(null);
      },
    });

    app.route({
      ...at(mount, deleteStoreItem),
      handler: async (request, reply) => {
        const { namespace, key } = request.body;
        await items.delete(ownerOf(request), namespace, key);
        return reply.code(204).send(null);
      },
    });

    app.route({
      ...at(mount, searchStoreItems),
      handler: async (request) => {
        const { namespace_prefix: prefix, filter, limit = 10, offset = 0, query } = request.body;
        if (query && !items.hasMeanings) throw noMeanings(query);
        const search = {
          prefix: prefix ?? [],
          filter: filter ?? {},
          limit,
          offset,
          query: query || undefined,
        };
        return { items: await items.search(ownerOf(request), search) };
      },
    });

    app.route({
      ...at(mount, listStoreNamespaces),
      handler: async (request) => {
        const { prefix, suffix, max_depth, limit = 100, offset = 0 } = request.body;
        const namespaces = await items.namespaces(ownerOf(request), {
          prefix: prefix ?? [],
          suffix: suffix ?? [],
          maxDepth: max_depth ?? undefined,
          limit,
          offset,
        });
        return { namespaces };
      },
    });
  };
}

function noMeanings(query: string): AppError {
  const message =
    'This store has no index of meanings. Set store.index of langgraph.json, for example ' +
    '{"embed": "openai:text-embedding-3-small", "dims": 1536}, with a model of `models`; or leave query out.';
  return new AppError('validation_failed', {
    message,
    faults: [
      { in: 'body', path: ['query'], type: 'value_error', message: `Value error, ${message}`, input: query },
    ],
  });
}
