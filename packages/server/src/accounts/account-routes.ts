import type { Account, Environment } from '@switchyard/contract/accounts/account';
import {
  changeEmail,
  changePassword,
  listAuthProviders,
  readMe,
  readSetupStatus,
} from '@switchyard/contract/accounts/session';
import { actorOf } from '../http/access/actor.ts';
import { callingUser } from '../http/access/caller.ts';
import { readCookies } from '../http/access/cookie.ts';
import { identityOf } from '../http/access/guard.ts';
import type { Identity } from '../http/access/identity.ts';
import type { SessionReplies } from '../http/access/session-replies.ts';
import type { Routes } from '../http/app.ts';
import type { AccountRow } from './account-store.ts';
import type { Accounts } from './accounts.ts';
import type { OwnAccount } from './own-account.ts';
import type { Sessions } from './sessions.ts';

/** Routes of the caller's own account, and whether there is an administrator to sign in with. */
export function accountRoutes(options: {
  accounts: Accounts;
  ownAccount: OwnAccount;
  sessions: Pick<Sessions, 'isForeign'>;
  replies: SessionReplies;
  environment: Environment | null;
  isQuiet: () => boolean;
}): Routes {
  const { accounts, ownAccount, sessions, replies, environment, isQuiet } = options;
  return (app) => {
    app.route({
      ...readMe,
      handler: async (request) => ({
        ...shownIdentity(identityOf(request)),
        environment,
        ...(isQuiet() && { quiet: true as const }),
      }),
    });

    app.route({ ...listAuthProviders, handler: async () => ({ providers: [] }) });

    app.route({
      ...readSetupStatus,
      handler: async (request) => ({
        needs_setup: !(await accounts.hasAdmin()),
        registration_enabled: accounts.registrationEnabled,
        foreign_session: sessions.isForeign(readCookies(request.headers.cookie).session),
      }),
    });

    app.route({
      ...changePassword,
      handler: async (request, reply) => {
        const { current_password, new_password, new_email } = request.body;
        const identity = identityOf(request);
        const { session } = await ownAccount.changePassword(identity, {
          actor: actorOf(request),
          caller: callingUser(request, reply),
          currentPassword: current_password,
          newPassword: new_password,
          newEmail: new_email ?? undefined,
        });
        if (identity.via === 'cookie') replies.begin(request, reply, { session, remember: true });
        return { message: 'Password changed successfully' };
      },
    });

    app.route({
      ...changeEmail,
      handler: async (request, reply) => {
        const { current_password, new_email } = request.body;
        const caller = callingUser(request, reply);
        const actor = actorOf(request);
        const change = { actor, caller, currentPassword: current_password, newEmail: new_email };
        return shownAccount(await ownAccount.changeEmail(identityOf(request), change));
      },
    });
  };
}

export function shownAccount({ id, email, system_role, needs_setup, oauth_provider }: AccountRow): Account {
  return { id, email, system_role, needs_setup: needs_setup === 1, oauth_provider };
}

/** The guard has already read all of it. */
function shownIdentity({ userId, email, role, needsSetup, oauthProvider }: Identity): Account {
  return { id: userId, email, system_role: role, needs_setup: needsSetup, oauth_provider: oauthProvider };
}
