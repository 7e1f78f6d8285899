import {
  changeAgent,
  checkAgentName,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
} from '@switchyard/contract/conversation/agents';
import { getUserProfile, putUserProfile } from '@switchyard/contract/conversation/profile';
import { ownerOf } from '../../http/access/guard.ts';
import type { Routes } from '../../http/app.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Profiles } from '../profile/profiles.ts';
import type { CustomAgents } from './custom-agents.ts';

export function customAgentRoutes({
  agents,
  profiles,
  isEnabled,
}: {
  agents: CustomAgents;
  profiles: Profiles;
  /** False lets agents and profiles be used as they are, and neither read nor changed from outside. */
  isEnabled: boolean;
}): Routes {
  return (app) => {
    app.addHook('preValidation', async () => {
      if (!isEnabled) throw new AppError('agents_api_disabled');
    });

    app.route({
      ...listAgents,
      handler: async (request) => {
        const own = await agents.list(ownerOf(request));
        return { agents: own.map((agent) => ({ ...agent, soul: null })) };
      },
    });

    app.route({
      ...checkAgentName,
      handler: async (request) => {
        const name = request.query.name.toLowerCase();
        return { available: await agents.isFree(ownerOf(request), name), name };
      },
    });

    app.route({
      ...getAgent,
      handler: async (request) => agents.get(ownerOf(request), request.params.name),
    });

    app.route({
      ...createAgent,
      handler: async (request, reply) =>
        reply.code(201).send(await agents.create(ownerOf(request), request.body)),
    });

    app.route({
      ...changeAgent,
      handler: async (request) => agents.change(ownerOf(request), request.params.name, request.body),
    });

    app.route({
      ...deleteAgent,
      handler: async (request, reply) => {
        await agents.delete(ownerOf(request), request.params.name);
        return reply.code(204).send(null);
      },
    });

    app.route({
      ...getUserProfile,
      handler: async (request) => ({ content: await profiles.read(ownerOf(request)) }),
    });

    app.route({
      ...putUserProfile,
      handler: async (request) => ({ content: await profiles.write(ownerOf(request), request.body.content) }),
    });
  };
}
