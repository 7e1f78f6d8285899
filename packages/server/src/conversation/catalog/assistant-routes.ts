import {
  assistantVersions,
  countAssistants,
  createAssistant,
  deleteAssistant,
  getAssistant,
  getAssistantGraph,
  getAssistantSchemas,
  getAssistantSubgraph,
  getAssistantSubgraphs,
  patchAssistant,
  searchAssistants,
  setLatestVersion,
} from '@switchyard/contract/conversation/assistants';
import { at, type Mount } from '@switchyard/contract/conversation/mounts';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Assistants } from './assistants.ts';

export function assistantRoutes(mount: Mount, { assistants }: { assistants: Assistants }): Routes {
  return (app) => {
    app.route({
      ...at(mount, searchAssistants),
      handler: async (request, reply) => {
        const { limit = 10, offset = 0 } = request.body;
        const { page, total } = await assistants.search(ownerOf(request), request.body);
        reply.header('x-pagination-total', String(total));
        if (offset + limit < total) reply.header('x-pagination-next', String(offset + limit));
        return page;
      },
    });

    app.route({
      ...at(mount, countAssistants),
      handler: async (request) => assistants.count(ownerOf(request), request.body),
    });

    app.route({
      ...at(mount, createAssistant),
      handler: async (request) => assistants.create(ownerOf(request), request.body),
    });

    app.route({
      ...at(mount, getAssistant),
      handler: async (request) => assistants.get(ownerOf(request), request.params.assistant_id),
    });

    app.route({
      ...at(mount, patchAssistant),
      handler: async (request) =>
        assistants.patch(ownerOf(request), request.params.assistant_id, request.body),
    });

    app.route({
      ...at(mount, deleteAssistant),
      handler: async (request, reply) => {
        const { assistant_id: named } = request.params;
        const { delete_threads: withThreads = false } = request.query;
        await assistants.delete(ownerOf(request), named, { withThreads });
        return reply.code(204).send(null);
      },
    });

    app.route({
      ...at(mount, assistantVersions),
      handler: async (request) => {
        const { limit = 10, offset = 0, metadata } = request.body;
        const page = { limit, offset, metadata };
        return assistants.versions(ownerOf(request), request.params.assistant_id, page);
      },
    });

    app.route({
      ...at(mount, setLatestVersion),
      handler: async (request) => {
        const { version } = request.body;
        return assistants.useVersion(ownerOf(request), request.params.assistant_id, version);
      },
    });

    app.route({
      ...at(mount, getAssistantSchemas),
      handler: async (request) => assistants.schemas(ownerOf(request), request.params.assistant_id),
    });

    app.route({
      ...at(mount, getAssistantGraph),
      handler: async (request) => {
        const { xray = false } = request.query;
        return assistants.drawing(ownerOf(request), request.params.assistant_id, xray);
      },
    });

    app.route({
      ...at(mount, getAssistantSubgraphs),
      handler: async (request) => {
        const { recurse = false } = request.query;
        return assistants.subgraphs(ownerOf(request), request.params.assistant_id, { recurse });
      },
    });

    app.route({
      ...at(mount, getAssistantSubgraph),
      handler: async (request) => {
        const { recurse = false } = request.query;
        const { assistant_id, namespace } = request.params;
        return assistants.subgraphs(ownerOf(request), assistant_id, { namespace, recurse });
      },
    });
  };
}
