import { initialize, login, logout, register } from '@switchyard/contract/accounts/session';
import { dispatchLogin } from '@switchyard/contract/dispatch/login';
import { ok } from '@switchyard/contract/envelope';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { headerToken } from '../http/access/bearer.ts';
import { callingStranger } from '../http/access/caller.ts';
import type { TrustedProxies } from '../http/access/client-ip.ts';
import { readCookies } from '../http/access/cookie.ts';
import type { SessionReplies } from '../http/access/session-replies.ts';
import type { Routes } from '../http/app.ts';
import type { AccessTokens } from './access-tokens.ts';
import { shownAccount } from './account-routes.ts';
import type { Accounts } from './accounts.ts';
import { normalEmail } from './email.ts';
import type { Sessions } from './sessions.ts';

interface SessionRoutesOptions {
  accounts: Accounts;
  sessions: Sessions;
  accessTokens: AccessTokens;
  replies: SessionReplies;
  proxies: TrustedProxies;
}

/** Login and logout of the conversation area. */
export function sessionRoutes({
  accounts,
  sessions,
  accessTokens,
  replies,
  proxies,
}: SessionRoutesOptions): Routes {
  const strangerOf = (request: FastifyRequest, reply: FastifyReply) =>
    callingStranger(request, reply, proxies);

  return (app) => {
    app.route({
      ...login,
      handler: async (request, reply) => {
        const { username, password, remember_me } = request.body;
        const stranger = strangerOf(request, reply);
        const { account, session } = await accounts.logIn({ kind: 'session', username, password, stranger });
        replies.begin(request, reply, { session, remember: String(remember_me) !== 'false' });
        return { expires_in: session.expiresInSeconds, needs_setup: account.needs_setup === 1 };
      },
    });

    app.route({
      ...register,
      handler: async (request, reply) => {
        const { account, session } = await accounts.register(request.body, strangerOf(request, reply));
        replies.begin(request, reply, { session, remember: request.body.remember_me !== false });
        return reply.code(201).send(shownAccount(account));
      },
    });

    app.route({
      ...initialize,
      handler: async (request, reply) => {
        const { account, session } = await accounts.initialize(request.body, strangerOf(request, reply));
        replies.begin(request, reply, { session, remember: request.body.remember_me !== false });
        return reply.code(201).send(shownAccount(account));
      },
    });

    app.route({
      ...logout,
      handler: async (request, reply) => {
        const headerToken = headerTokenOrNone(request);
        await sessions.end([readCookies(request.headers.cookie).session, headerToken]);
        if (headerToken !== undefined) await accessTokens.end(headerToken);
        replies.end(request, reply);
        return { message: 'Successfully logged out' };
      },
    });
  };
}

/** The second login: the same accounts and the same limiter, but it returns a bearer token. */
export function dispatchLoginRoutes({
  accounts,
  proxies,
}: Pick<SessionRoutesOptions, 'accounts' | 'proxies'>): Routes {
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

/** Signing out works with any credentials, even unreadable ones. */
function headerTokenOrNone({ headers }: FastifyRequest): string | undefined {
  try {
    return headerToken(headers);
  } catch {
    return undefined;
  }
}
