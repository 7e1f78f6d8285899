import type { NewAccount } from '@switchyard/contract/accounts/session';
import type { Stranger } from '../http/access/caller.ts';
import { clientNetwork } from '../http/access/client-ip.ts';
import { AppError } from '../lib/app-error.ts';
import type { Owner } from '../lib/owner.ts';
import { hourMs } from '../lib/time-units.ts';
import type { AuditPart } from '../platform/audit/audit.ts';
import type { CallWindow } from '../platform/counters/counters.ts';
import { newAccountRow } from './account.ts';
import type { AccountParts } from './account-parts.ts';
import type { AccountRow } from './account-store.ts';
import { emailFaults, normalEmail, throwFaults } from './email.ts';
import { aboutName } from './passwords/login-guard.ts';
import type { SessionKind } from './session-token.ts';
import type { NewSession, Sessions } from './sessions.ts';

/** Enough for a class that signs up behind one address, and too few to fill the table from one. */
const registrationsPerClient: CallWindow = { limit: 600, windowMs: hourMs };

/** The name that both logins accept for the bootstrap administrator. */
const bootstrapName = 'admin';

interface Login {
  kind: SessionKind;
  username: string;
  password: string;
  stranger: Stranger;
}

export interface SignedIn {
  account: AccountRow;
  session: NewSession;
}

/** Signing in, and creating the account to sign in with. */
export class Accounts {
  readonly #options;

  constructor(
    options: Pick<
      AccountParts,
      'store' | 'passwords' | 'guard' | 'counters' | 'events' | 'audit' | 'clock'
    > & { sessions: Sessions; registration: 'open' | 'closed' },
  ) {
    this.#options = options;
  }

  get registrationEnabled(): boolean {
    return this.#options.registration === 'open';
  }

  /** An unknown name, a wrong password and a disabled account take the same time and get the same response. */
  async logIn({ kind, username, password, stranger }: Login): Promise<SignedIn> {
    const { guard, passwords, sessions, events } = this.#options;
    const name = normalEmail(username);
    const { clientIp } = stranger;
    const { found, account, locked } = await guard.attempt(`login:${clientNetwork(clientIp)}`, async () => {
      const found = await this.#findByName(name);
      const matches = await passwords.verify(password, found?.password_hash, stranger);
      const account = found && matches && !found.disabled ? found : undefined;
      return { about: aboutName(found?.id ?? name), isRight: account !== undefined, found, account };
    });
    if (!account) {
      events.record('login_failed', { user_id: found?.id ?? null, kind, client_ip: clientIp });
      if (locked) events.record('login_locked', { client_ip: clientIp });
      throw new AppError('invalid_credentials');
    }
    events.record('login_succeeded', { user_id: account.id, kind, client_ip: clientIp });
    return { account, session: sessions.begin(kind, account) };
  }

  async register(input: NewAccount, stranger: Stranger): Promise<SignedIn> {
    const { counters, passwords, store, sessions, events, clock } = this.#options;
    if (!this.registrationEnabled) throw new AppError('registration_disabled');
    this.#check(input);
    const call = await counters.countCall(
      `register:${clientNetwork(stranger.clientIp)}`,
      registrationsPerClient,
    );
    if (!call.allowed) {
      throw new AppError('rate_limited', { retryAfterSeconds: Math.ceil(call.retryAfterMs / 1_000) });
    }
    const owner: Owner = { system: 'registration' };
    if (await store.findByEmail(owner, normalEmail(input.email))) throw new AppError('email_already_exists');
    const account = newAccountRow({
      email: input.email,
      passwordHash: await passwords.hash(input.password, stranger),
      role: 'user',
      needsSetup: false,
      atMs: clock(),
    });
    const record = this.#recordOf('user.registered', account, stranger);
    if (!(await store.insert(owner, account, record))) throw new AppError('email_already_exists');
    events.record('registered', { user_id: account.id, client_ip: stranger.clientIp });
    return { account, session: sessions.begin('session', account) };
  }

  /** Creates the first administrator. If many callers try at once, the unique row admits one. */
  async initialize(input: NewAccount, stranger: Stranger): Promise<SignedIn> {
    const { passwords, store, sessions, events, clock } = this.#options;
    this.#check(input);
    if (await this.hasAdmin()) throw new AppError('system_already_initialized');
    const account = newAccountRow({
      email: input.email,
      passwordHash: await passwords.hash(input.password, stranger),
      role: 'admin',
      needsSetup: false,
      isBootstrap: true,
      atMs: clock(),
    });
    const record = this.#recordOf('user.initialized', account, stranger);
    if (!(await store.insert({ system: 'initialize' }, account, record))) {
      throw new AppError((await this.hasAdmin()) ? 'system_already_initialized' : 'email_already_exists');
    }
    events.record('initialized', { user_id: account.id, client_ip: stranger.clientIp });
    return { account, session: sessions.begin('session', account) };
  }

  async hasAdmin(): Promise<boolean> {
    return (await this.#options.store.findFirstAdmin({ system: 'setup status' })) !== undefined;
  }

  async #findByName(name: string): Promise<AccountRow | undefined> {
    const owner: Owner = { system: 'login' };
    if (name === bootstrapName) return this.#options.store.findBootstrapAdmin(owner);
    return this.#options.store.findByEmail(owner, name);
  }

  #recordOf(
    action: string,
    { id, email }: { id: string; email: string },
    { requestId }: Stranger,
  ): AuditPart {
    const actor = { id, name: email, via: 'password', requestId } as const;
    return this.#options.audit.part(actor, { action, target: ['user', id] });
  }

  #check({ email, password }: NewAccount): void {
    throwFaults([...emailFaults(email, 'email'), ...this.#options.passwords.faults(password, 'password')]);
  }
}
