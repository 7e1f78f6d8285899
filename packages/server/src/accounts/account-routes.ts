import type { Account } from '@switchyard/contract/accounts/account';
import {
  changeEmail,
  changePassword,
  initialize,
  login,
  logout,
  readMe,
  readSetupStatus,
  register,
} from '@switchyard/contract/accounts/session';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Routes } from '../http/app.ts';
import { headerToken } from '../http/bearer.ts';
import { sourceOf, type TrustedProxies } from '../http/client-ip.ts';
import { expiredSessionCookies, readCookies, sessionCookies } from '../http/cookie.ts';
import { identityOf } from '../http/guard.ts';
import type { Identity } from '../http/identity.ts';
import { isHttps } from '../http/origin.ts';
import type { AccountRow } from './account-store.ts';
import type { Accounts } from './accounts.ts';
import type { NewSession, Sessions } from './sessions.ts';

interface AccountRoutesOptions {
  accounts: Accounts;
  sessions: Sessions;
  proxies: TrustedProxies;
}

export function accountRoutes({ accounts, sessions, proxies }: AccountRoutesOptions): Routes {
  const clientIpOf = (request: FastifyRequest) => sourceOf(request.raw, proxies).clientIp;
  const isSecure = (request: FastifyRequest) =>
    isHttps({ headers: request.headers, ...sourceOf(request.raw, proxies) });

  /** Without `remember` the cookies end with the browser; the session itself does not live longer or shorter. */
  const setCookies = (
    request: FastifyRequest,
    reply: FastifyReply,
    session: NewSession,
    remember: boolean,
  ) => {
    const { token, csrf, expiresInSeconds } = session;
    const maxAgeSeconds = remember ? expiresInSeconds : undefined;
    reply.header('set-cookie', sessionCookies({ token, csrf, maxAgeSeconds, secure: isSecure(request) }));
  };

  return (app) => {
    app.route({
      ...login,
      handler: async (request, reply) => {
        const { username, password, remember_me } = request.body;
        const clientIp = clientIpOf(request);
        const { account, session } = await accounts.logIn({ kind: 'session', username, password, clientIp });
        setCookies(request, reply, session, String(remember_me) !== 'false');
        return { expires_in: session.expiresInSeconds, needs_setup: account.needs_setup === 1 };
      },
    });

    app.route({
      ...register,
      handler: async (request, reply) => {
        const { account, session } = await accounts.register(request.body, clientIpOf(request));
        setCookies(request, reply, session, request.body.remember_me !== false);
        return reply.code(201).send(shownAccount(account));
      },
    });

    app.route({
      ...initialize,
      handler: async (request, reply) => {
        const { account, session } = await accounts.initialize(request.body, clientIpOf(request));
        setCookies(request, reply, session, request.body.remember_me !== false);
        return reply.code(201).send(shownAccount(account));
      },
    });

    app.route({
      ...logout,
      handler: async (request, reply) => {
        await sessions.end([readCookies(request.headers.cookie).session, headerTokenOrNone(request)]);
        reply.header('set-cookie', expiredSessionCookies(isSecure(request)));
        return { message: 'Successfully logged out' };
      },
    });

    app.route({
      ...readMe,
      handler: async (request) => shownIdentity(identityOf(request)),
    });

    app.route({
      ...readSetupStatus,
      handler: async () => ({
        needs_setup: !(await accounts.hasAdmin()),
        registration_enabled: accounts.registrationEnabled,
      }),
    });

    app.route({
      ...changePassword,
      handler: async (request, reply) => {
        const { current_password, new_password, new_email } = request.body;
        const identity = identityOf(request);
        const { session } = await accounts.changePassword(identity, {
          currentPassword: current_password,
          newPassword: new_password,
          newEmail: new_email ?? undefined,
        });
        if (identity.via === 'cookie') setCookies(request, reply, session, true);
        return { message: 'Password changed successfully' };
      },
    });

    app.route({
      ...changeEmail,
      handler: async (request) => {
        const { current_password, new_email } = request.body;
        const change = { currentPassword: current_password, newEmail: new_email };
        return shownAccount(await accounts.changeEmail(identityOf(request), change));
      },
    });
  };
}

function shownAccount({ id, email, system_role, needs_setup, oauth_provider }: AccountRow): Account {
  return { id, email, system_role, needs_setup: needs_setup === 1, oauth_provider };
}

/** The guard has read it all already. */
function shownIdentity({ userId, email, role, needsSetup, oauthProvider }: Identity): Account {
  return { id: userId, email, system_role: role, needs_setup: needsSetup, oauth_provider: oauthProvider };
}

/** Signing out works with any credentials, unreadable ones too. */
function headerTokenOrNone({ headers }: FastifyRequest): string | undefined {
  try {
    return headerToken(headers);
  } catch {
    return undefined;
  }
}
