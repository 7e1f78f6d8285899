import type { Environment } from '@switchyard/contract/accounts/account';
import { CsrfTokens } from '../http/access/csrf.ts';
import type { Authenticator } from '../http/access/identity.ts';
import { SessionReplies } from '../http/access/session-replies.ts';
import type { Routes } from '../http/app.ts';
import type { Fetch } from '../lib/bounded-fetch.ts';
import { steadyClock } from '../lib/clock.ts';
import type { Audit } from '../platform/audit/audit.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Database } from '../platform/database/database.ts';
import { accessTokenRoutes } from './access-token-routes.ts';
import { AccessTokenStore } from './access-token-store.ts';
import { AccessTokens } from './access-tokens.ts';
import { AccountEvents } from './account-events.ts';
import type { AccountParts } from './account-parts.ts';
import { accountRoutes } from './account-routes.ts';
import { AccountStore } from './account-store.ts';
import { Accounts } from './accounts.ts';
import { auditRoutes } from './audit-routes.ts';
import { AccountAuthenticator } from './authenticator.ts';
import { CustomAccounts } from './custom-accounts.ts';
import { Clients } from './grants/clients.ts';
import { grantRoutes } from './grants/grant-routes.ts';
import { GrantStore } from './grants/grant-store.ts';
import { Grants } from './grants/grants.ts';
import { OpenCredentials } from './open-credentials.ts';
import { OwnAccount } from './own-account.ts';
import { readCommonPasswords } from './passwords/common-passwords.ts';
import type { HashingLimits } from './passwords/hashing-queue.ts';
import { type LockoutOptions, LoginGuard } from './passwords/login-guard.ts';
import { Passwords } from './passwords/passwords.ts';
import { CallTickets } from './secrets/call-tickets.ts';
import type { SigningKeys } from './secrets/signing-keys.ts';
import { dispatchLoginRoutes, sessionRoutes } from './session-routes.ts';
import { SessionStore } from './session-store.ts';
import { SessionTokens } from './session-token.ts';
import { Sessions } from './sessions.ts';
import type { AccountTables } from './tables.ts';
import { userRoutes } from './user-routes.ts';
import { type AccountCleanup, Users } from './users.ts';

export interface AccountsOptions {
  keys: Pick<SigningKeys, 'for'>;
  sessionTtlMs: number;
  dispatchTokenTtlMs: number;
  registration: 'open' | 'closed';
  lockout: LockoutOptions;
  hashing: HashingLimits;
  /** Overrides the usual bcrypt cost. */
  passwordCost?: number | undefined;
  /** A larger list of common passwords, one per line. */
  commonPasswordsFile: string | null;
  /** The name of this gateway on its pages; null when it has none. */
  environment: Environment | null;
  /** True while a restored gateway works on nothing. */
  isQuiet: () => boolean;
  /** The sign-in of clients of others. */
  oauth: {
    isEnabled: boolean;
    /** The address of the gateway for its users. */
    issuer: () => string;
    /** Reads what clients publish about themselves. Strangers choose the address, so it must be a guarded one. */
    fetch: Fetch;
  };
}

/** The parts of this area that the rest of the server uses. */
export interface AccountsArea {
  authenticator: Authenticator;
  csrf: CsrfTokens;
  /** Says which open sessions and tokens have ended. */
  credentials: OpenCredentials;
  /** The routes of the conversation contract for login, tokens and users, and the login of the dispatch contract. */
  routes: Routes[];
  /** For creating the first administrator. */
  store: AccountStore;
  passwords: Passwords;
  /** The accounts of callers whom the operator's own authentication lets in. */
  customAccounts: CustomAccounts;
  /** Lets an operator's own code call its gateway. */
  callTickets: CallTickets;
  /** Carries sessions over to the page of ComfyUI. */
  sessions: Pick<Sessions, 'ticketFor' | 'redeem'>;
  close(): Promise<void>;
}

export function createAccounts(
  dependencies: Pick<AccountParts, 'counters' | 'proxies' | 'log' | 'clock' | 'timer'> & {
    database: Database<AccountTables>;
    bus: Bus;
    audit: Audit;
    /** Functions that delete the data of a deleted account in other areas. */
    cleanups: readonly AccountCleanup[];
    options: AccountsOptions;
  },
): AccountsArea {
  const { database, counters, bus, audit, proxies, log, clock, timer, cleanups, options } = dependencies;
  const { keys, hashing, lockout, registration, oauth } = options;
  const store = new AccountStore(database);
  const events = new AccountEvents({ log, bus });
  const passwords = new Passwords({
    hashing,
    common: readCommonPasswords(options.commonPasswordsFile),
    cost: options.passwordCost,
  });
  const csrf = new CsrfTokens(keys.for('csrf'));
  const tokens = new SessionTokens({ keys, clock });
  const accessTokenStore = new AccessTokenStore(database);
  const sessionStore = new SessionStore(database);
  const grantStore = new GrantStore(database);
  const clients = new Clients({ store: grantStore, clock, fetch: oauth.fetch });
  const grants = new Grants({ store: grantStore, clients, events, audit, clock, issuer: oauth.issuer });
  const accessTokens = new AccessTokens({
    store: accessTokenStore,
    events,
    audit,
    log,
    clock,
    timer,
    resource: () => (oauth.isEnabled ? grants.resource : null),
  });
  const sessions = new Sessions({
    tokens,
    store: sessionStore,
    accounts: store,
    csrf,
    events,
    clock,
    ttlSeconds: {
      session: Math.floor(options.sessionTtlMs / 1_000),
      dispatch: Math.floor(options.dispatchTokenTtlMs / 1_000),
    },
  });
  const callTickets = new CallTickets({
    accountOf: (userId) => store.find({ system: 'a call of own code' }, userId),
    now: steadyClock,
  });
  const guard = new LoginGuard({ counters, lockout });
  const ownAccount = new OwnAccount({ store, sessions, passwords, guard, events, audit });
  const replies = new SessionReplies(proxies);
  const accounts = new Accounts({
    store,
    sessions,
    passwords,
    guard,
    counters,
    events,
    audit,
    clock,
    registration,
  });
  const users = new Users({ store, passwords, events, audit, cleanups, clock });
  return {
    authenticator: new AccountAuthenticator({ accounts: store, tokens, accessTokens, callTickets }),
    csrf,
    credentials: new OpenCredentials({ sessions: sessionStore, accessTokens: accessTokenStore }),
    routes: [
      sessionRoutes({ accounts, sessions, accessTokens, replies, proxies }),
      accountRoutes({ accounts, ownAccount, sessions, replies, ...options }),
      accessTokenRoutes({ accessTokens }),
      userRoutes({ users }),
      dispatchLoginRoutes({ accounts, proxies }),
      auditRoutes({ audit }),
      grantRoutes({ grants, clients, accessTokens, counters, proxies, ...oauth }),
    ],
    store,
    passwords,
    customAccounts: new CustomAccounts({ store, events, audit, clock }),
    callTickets,
    sessions,
    close: () => accessTokens.close(),
  };
}
