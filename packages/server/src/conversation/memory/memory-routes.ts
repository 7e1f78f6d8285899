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
import type { FastifyRequest } from 'fastify';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Memories } from './memories.ts';

export function memoryRoutes({
  memories,
  requireAgent,
}: {
  memories: Memories;
  /** Throws `agent_not_found` when the user has no such agent. */
  requireAgent: (owner: Owner, name: string) => Promise<unknown>;
}): Routes {
  const agentIn = async (request: FastifyRequest<{ Querystring: { agent?: string } }>) => {
    const { agent } = request.query;
    if (agent === undefined) return null;
    await requireAgent(ownerOf(request), agent);
    return agent;
  };
  return (app) => {
    app.route({
      ...getMemory,
      handler: async (request) => memories.get(ownerOf(request), await agentIn(request)),
    });

    app.route({
      ...exportMemory,
      handler: async (request) => memories.get(ownerOf(request), await agentIn(request)),
    });

    app.route({
      ...reloadMemory,
      handler: async (request) => memories.reload(ownerOf(request), await agentIn(request)),
    });

    app.route({
      ...clearMemory,
      handler: async (request) => memories.clear(ownerOf(request), await agentIn(request)),
    });

    app.route({
      ...importMemory,
      handler: async (request) => memories.import(ownerOf(request), await agentIn(request), request.body),
    });

    app.route({
      ...addFact,
      handler: async (request) => memories.addFact(ownerOf(request), await agentIn(request), request.body),
    });

    app.route({
      ...changeFact,
      handler: async (request) =>
        memories.changeFact(ownerOf(request), await agentIn(request), {
          factId: request.params.fact_id,
          change: request.body,
        }),
    });

    app.route({
      ...deleteFact,
      handler: async (request) =>
        memories.deleteFact(ownerOf(request), await agentIn(request), request.params.fact_id),
    });

    app.route({ ...getMemoryConfig, handler: async () => memories.config() });

    app.route({
      ...getMemoryStatus,
      handler: async (request) => ({
        config: memories.config(),
        data: await memories.get(ownerOf(request), await agentIn(request)),
      }),
    });
  };
}
