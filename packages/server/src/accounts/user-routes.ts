import {
  createUser,
  deleteUser,
  listUsers,
  resetUserPassword,
  type User,
  updateUser,
} from '@switchyard/contract/accounts/user';
import { actorOf } from '../http/access/actor.ts';
import { callingUser } from '../http/access/caller.ts';
import type { Routes } from '../http/app.ts';
import type { AccountRow } from './account-store.ts';
import type { Users, WithOneTimePassword } from './users.ts';

export function userRoutes({ users }: { users: Users }): Routes {
  return (app) => {
    app.route({
      ...listUsers,
      handler: async (request) => {
        const { limit = 50, offset = 0, q } = request.query;
        const { total, items } = await users.list(actorOf(request), { limit, offset, q: q?.toLowerCase() });
        return { total, items: items.map(shownUser) };
      },
    });

    app.route({
      ...createUser,
      handler: async (request, reply) => {
        const { email, system_role = 'user' } = request.body;
        const caller = callingUser(request, reply);
        const made = await users.create(actorOf(request), { email, role: system_role, caller });
        return reply.code(201).send(shownWithPassword(made));
      },
    });

    app.route({
      ...updateUser,
      handler: async (request) => {
        const { disabled, system_role } = request.body;
        return shownUser(
          await users.update(actorOf(request), request.params.userId, { disabled, role: system_role }),
        );
      },
    });

    app.route({
      ...resetUserPassword,
      handler: async (request, reply) => {
        const caller = callingUser(request, reply);
        return shownWithPassword(await users.resetPassword(actorOf(request), request.params.userId, caller));
      },
    });

    app.route({
      ...deleteUser,
      handler: async (request) => {
        await users.delete(actorOf(request), request.params.userId);
        return { success: true, message: 'User deleted' };
      },
    });
  };
}

function shownUser(row: AccountRow): User {
  const { id, email, system_role, oauth_provider, created_at } = row;
  const flags = { needs_setup: row.needs_setup === 1, disabled: row.disabled === 1 };
  return { id, email, system_role, oauth_provider, created_at, ...flags };
}

function shownWithPassword(row: WithOneTimePassword): User & { one_time_password: string } {
  return { ...shownUser(row), one_time_password: row.one_time_password };
}
