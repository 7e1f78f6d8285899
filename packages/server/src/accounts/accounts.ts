import type { NewAccount } from '@switchyard/contract/accounts/session';
import type { Identity } from '../http/identity.ts';
import { AppError } from '../lib/app-error.ts';
import { type Clock, toIso } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Owner } from '../lib/owner.ts';
import type { CallWindow, Counters } from '../platform/counters/counters.ts';
import type { AccountEvents } from './account-events.ts';
import type { AccountRow, AccountStore } from './account-store.ts';
import { emailFaults, normalEmail, throwFaults } from './email.ts';
import { aboutName, type CheckedPassword, clientNetwork, type LoginGuard } from './login-guard.ts';
import type { Passwords } from './passwords.ts';
import type { SessionKind } from './session-token.ts';
import type { NewSession, Sessions } from './sessions.ts';
import type { UserTable } from './tables.ts';

/** Enough for a class that signs up behind one address, too few to fill the table from one. */
const registrationsPerClient: CallWindow = { limit: 600, windowMs: 3_600_000 };

/** The name that the dispatch login takes for the bootstrap administrator. */
const bootstrapName = 'admin';

interface AccountsOptions {
  store: AccountStore;
  sessions: Sessions;
  passwords: Passwords;
  guard: LoginGuard;
  counters: Counters;
  events: AccountEvents;
  clock: Clock;
  registration: 'open' | 'closed';
}

interface Login {
  kind: SessionKind;
  username: string;
  password: string;
  clientIp: string;
}

interface PasswordChange {
  currentPassword: string;
  newPassword: string;
  newEmail: string | undefined;
}

export interface SignedIn {
  account: AccountRow;
  session: NewSession;
}

/** What people do with their own account. */
export class Accounts {
  readonly #options: AccountsOptions;

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  get registrationEnabled(): boolean {
    return this.#options.registration === 'open';
  }

  /** An unknown name, a wrong password and a disabled account take the same time and get the same answer. */
  async logIn({ kind, username, password, clientIp }: Login): Promise<SignedIn> {
    const { guard, passwords, sessions, events } = this.#options;
    const name = normalEmail(username);
    let known: string | null = null;
    const { result: account, locked } = await guard.attempt(`login:${clientNetwork(clientIp)}`, async () => {
      const found = await this.#findByName(name, kind);
      known = found?.id ?? null;
      const matches = await passwords.verify(password, found?.password_hash);
      const result = found && matches && !found.disabled ? found : undefined;
      return { about: aboutName(found?.id ?? name), result };
    });
    if (!account) {
      events.record('login_failed', { user_id: known, kind, client_ip: clientIp });
      if (locked) events.record('login_locked', { client_ip: clientIp });
      throw new AppError('invalid_credentials');
    }
    events.record('login_succeeded', { user_id: account.id, kind, client_ip: clientIp });
    return { account, session: sessions.begin(kind, account) };
  }

  async register(input: NewAccount, clientIp: string): Promise<SignedIn> {
    const { counters, store, sessions, events } = this.#options;
    if (!this.registrationEnabled) throw new AppError('registration_disabled');
    const email = this.#checkNewAccount(input);
    const call = await counters.countCall(`register:${clientNetwork(clientIp)}`, registrationsPerClient);
    if (!call.allowed) {
      throw new AppError('rate_limited', { retryAfterSeconds: Math.ceil(call.retryAfterMs / 1_000) });
    }
    const owner: Owner = { system: 'registration' };
    if (await store.findByEmail(owner, email)) throw new AppError('email_already_exists');
    const account = await this.#newAccount(input.password, { email, system_role: 'user', bootstrap: null });
    if (!(await store.insert(owner, account))) throw new AppError('email_already_exists');
    events.record('registered', { user_id: account.id, client_ip: clientIp });
    return { account, session: sessions.begin('session', account) };
  }

  /** Makes the first administrator. Of many who try at once, the unique row lets one. */
  async initialize(input: NewAccount, clientIp: string): Promise<SignedIn> {
    const { store, sessions, events } = this.#options;
    const email = this.#checkNewAccount(input);
    if (await this.hasAdmin()) throw new AppError('system_already_initialized');
    const owner: Owner = { system: 'initialize' };
    const account = await this.#newAccount(input.password, { email, system_role: 'admin', bootstrap: 1 });
    if (!(await store.insert(owner, account))) {
      throw new AppError((await this.hasAdmin()) ? 'system_already_initialized' : 'email_already_exists');
    }
    events.record('initialized', { user_id: account.id, client_ip: clientIp });
    return { account, session: sessions.begin('session', account) };
  }

  async hasAdmin(): Promise<boolean> {
    return (await this.#options.store.findFirstAdmin({ system: 'setup status' })) !== undefined;
  }

  /** Ends every session of the account; the one that is answered is a new one. */
  async changePassword(identity: Identity, change: PasswordChange): Promise<SignedIn> {
    const { store, passwords, sessions, events } = this.#options;
    const { newPassword, newEmail } = change;
    throwFaults([
      ...passwords.faults(newPassword, 'new_password'),
      ...(newEmail === undefined ? [] : emailFaults(newEmail, 'new_email')),
    ]);
    const owner: Owner = { user: identity.userId };
    const before = await this.#withCurrentPassword(identity, change.currentPassword);
    const email = newEmail === undefined ? undefined : await this.#freeEmail(newEmail, before);
    const hash = await passwords.hash(newPassword);
    const account = await this.#refusingTakenEmail(email, before, () =>
      store.changePassword(owner, before.id, {
        hash,
        needsSetup: false,
        email,
        expectedVersion: before.token_version,
      }),
    );
    if (!account) throw await this.#whyUnchanged(identity);
    events.record('password_changed', { user_id: account.id, email_changed: account.email !== before.email });
    await events.sessionsEnded(account.id, null);
    return { account, session: sessions.begin('session', account) };
  }

  async changeEmail(
    identity: Identity,
    change: { currentPassword: string; newEmail: string },
  ): Promise<AccountRow> {
    const { store, events } = this.#options;
    throwFaults(emailFaults(change.newEmail, 'new_email'));
    const before = await this.#withCurrentPassword(identity, change.currentPassword);
    const email = await this.#freeEmail(change.newEmail, before);
    const account = await this.#refusingTakenEmail(email, before, () =>
      store.changeEmail({ user: identity.userId }, before.id, email),
    );
    if (!account) throw new AppError('user_not_found');
    events.record('email_changed', { user_id: account.id });
    return account;
  }

  async #findByName(name: string, kind: SessionKind): Promise<AccountRow | undefined> {
    const owner: Owner = { system: 'login' };
    if (kind === 'dispatch' && name === bootstrapName) return this.#options.store.findBootstrapAdmin(owner);
    return this.#options.store.findByEmail(owner, name);
  }

  async #read(identity: Identity): Promise<AccountRow> {
    const account = await this.#options.store.find({ user: identity.userId }, identity.userId);
    if (!account) throw new AppError('user_not_found');
    return account;
  }

  #checkNewAccount({ email, password }: NewAccount): string {
    throwFaults([...emailFaults(email, 'email'), ...this.#options.passwords.faults(password, 'password')]);
    return normalEmail(email);
  }

  async #newAccount(
    password: string,
    columns: Pick<UserTable, 'email' | 'system_role' | 'bootstrap'>,
  ): Promise<AccountRow> {
    return {
      id: newId(),
      password_hash: await this.#options.passwords.hash(password),
      created_at: toIso(this.#options.clock()),
      oauth_provider: null,
      oauth_id: null,
      needs_setup: 0,
      token_version: 0,
      disabled: 0,
      ...columns,
    };
  }

  /** Guesses here are limited per account and apart from logins: whoever guesses has a session already. */
  async #withCurrentPassword(identity: Identity, currentPassword: string): Promise<AccountRow> {
    const { guard, passwords, events } = this.#options;
    const account = await this.#read(identity);
    if (account.password_hash === null) {
      throw new AppError('current_password_wrong', { message: 'OAuth users cannot change password' });
    }
    const check = async (): Promise<CheckedPassword<AccountRow>> => ({
      about: account.id,
      result: (await passwords.verify(currentPassword, account.password_hash)) ? account : undefined,
    });
    const { result } = await guard.attempt(`password:${account.id}`, check);
    if (result) return result;
    events.record('password_change_failed', { user_id: account.id });
    throw new AppError('current_password_wrong');
  }

  async #freeEmail(text: string, account: AccountRow): Promise<string> {
    const email = normalEmail(text);
    await this.#refuseTaken(email, account);
    return email;
  }

  async #refuseTaken(email: string, account: AccountRow): Promise<void> {
    const holder = await this.#options.store.findByEmail({ system: 'e-mail change' }, email);
    if (holder && holder.id !== account.id) {
      throw new AppError('email_already_exists', { message: 'Email already in use' });
    }
  }

  /** Somebody may take the address between the look and the write: then the unique column refuses it. */
  async #refusingTakenEmail<Result>(
    email: string | undefined,
    account: AccountRow,
    write: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await write();
    } catch (error) {
      if (email !== undefined) await this.#refuseTaken(email, account);
      throw error;
    }
  }

  async #whyUnchanged(identity: Identity): Promise<AppError> {
    await this.#read(identity);
    return new AppError('token_invalid', { message: 'Token revoked (password changed)' });
  }
}
