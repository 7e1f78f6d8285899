import {
  addFact,
  changeFact,
  clearMemory,
  deleteFact,
  exportMemory,
  getMemory,
  getMemoryConfig,
  getMemoryStatus,
  importMemory,
  reloadMemory,
} from '@switchyard/contract/conversation/memory';
import type { Routes } from '../../http/app.ts';
import { ownerOf } from '../../http/guard.ts';
import type { Memories } from './memories.ts';

export function memoryRoutes({ memories }: { memories: Memories }): Routes {
  return (app) => {
    app.route({
      ...getMemory,
      handler: async (request) => memories.get(ownerOf(request), request.query.agent ?? null),
    });

    app.route({
      ...exportMemory,
      handler: async (request) => memories.get(ownerOf(request), request.query.agent ?? null),
    });

    app.route({
      ...reloadMemory,
      handler: async (request) => memories.reload(ownerOf(request), request.query.agent ?? null),
    });

    app.route({
      ...clearMemory,
      handler: async (request) => memories.clear(ownerOf(request), request.query.agent ?? null),
    });

    app.route({
      ...importMemory,
      handler: async (request) =>
        memories.import(ownerOf(request), request.query.agent ?? null, request.body),
    });

    app.route({
      ...addFact,
      handler: async (request) =>
        memories.addFact(ownerOf(request), request.query.agent ?? null, request.body),
    });

    app.route({
      ...changeFact,
      handler: async (request) =>
        memories.changeFact(ownerOf(request), request.query.agent ?? null, {
          factId: request.params.fact_id,
          change: request.body,
        }),
    });

    app.route({
      ...deleteFact,
      handler: async (request) =>
        memories.deleteFact(ownerOf(request), request.query.agent ?? null, request.params.fact_id),
    });

    app.route({ ...getMemoryConfig, handler: async () => memories.config() });

    app.route({
      ...getMemoryStatus,
      handler: async (request) => ({
        config: memories.config(),
        data: await memories.get(ownerOf(request), request.query.agent ?? null),
      }),
    });
  };
}
