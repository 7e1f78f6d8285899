import { dispatchLogin } from '@switchyard/contract/dispatch/login';
import { ok } from '@switchyard/contract/envelope';
import { callingStranger } from '../http/access/caller.ts';
import type { TrustedProxies } from '../http/access/client-ip.ts';
import type { Routes } from '../http/app.ts';
import type { Accounts } from './accounts.ts';
import { normalEmail } from './email.ts';

interface DispatchLoginOptions {
  accounts: Accounts;
  proxies: TrustedProxies;
}

/** The second login: the same accounts and the same limiter, but it returns a bearer token. */
export function dispatchLoginRoutes({ accounts, proxies }: DispatchLoginOptions): Routes {
  return (app) => {
    app.route({
      ...dispatchLogin,
      handler: async (request, reply) => {
        const { username, password } = request.body;
        const stranger = callingStranger(request, reply, proxies);
        const { session } = await accounts.logIn({ kind: 'dispatch', username, password, stranger });
        const user = { username: normalEmail(username) };
        return ok({ token: session.token, user, expiresIn: session.expiresInSeconds });
      },
    });
  };
}
