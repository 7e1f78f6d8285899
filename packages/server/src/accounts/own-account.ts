import type { Caller } from '../http/access/caller.ts';
import type { Identity } from '../http/access/identity.ts';
import { AppError } from '../lib/app-error.ts';
import type { Owner } from '../lib/owner.ts';
import type { Actor } from '../platform/audit/audit.ts';
import type { AccountParts } from './account-parts.ts';
import type { AccountRow } from './account-store.ts';
import type { SignedIn } from './accounts.ts';
import { emailFaults, normalEmail, throwFaults } from './email.ts';
import type { Sessions } from './sessions.ts';

interface PasswordChange {
  actor: Actor;
  caller: Caller;
  currentPassword: string;
  newPassword: string;
  newEmail: string | undefined;
}

interface EmailChange {
  actor: Actor;
  caller: Caller;
  currentPassword: string;
  newEmail: string;
}

/** The changes of people to their own account. Each change needs the password once more. */
export class OwnAccount {
  readonly #options;

  constructor(
    options: Pick<AccountParts, 'store' | 'passwords' | 'guard' | 'events' | 'audit'> & {
      sessions: Sessions;
    },
  ) {
    this.#options = options;
  }

  /** Ends every session of the account. The response carries a new session. */
  async changePassword(identity: Identity, change: PasswordChange): Promise<SignedIn> {
    const { store, passwords, sessions, events, audit } = this.#options;
    const { currentPassword, newPassword, newEmail, caller, actor } = change;
    throwFaults([
      ...passwords.faults(newPassword, 'new_password'),
      ...(newEmail === undefined ? [] : emailFaults(newEmail, 'new_email')),
    ]);
    const before = await this.#confirm(identity, currentPassword, caller);
    const email = newEmail === undefined ? undefined : normalEmail(newEmail);
    const hash = await passwords.hash(newPassword, caller);
    const beforeCommit = audit.part(actor, {
      action: 'user.password_changed',
      target: ['user', before.id],
      details: { email: email === before.email ? undefined : email },
    });
    const fields = { hash, needsSetup: false, email, expectedVersion: before.token_version, beforeCommit };
    const account = await this.#refusingTaken(email, before, () =>
      store.changePassword({ user: identity.userId }, before.id, fields),
    );
    if (!account) throw await this.#whyUnchanged(identity);
    events.record('password_changed', { user_id: account.id, email_changed: account.email !== before.email });
    await events.sessionsEnded(account.id, null);
    return { account, session: sessions.begin('session', account) };
  }

  async changeEmail(
    identity: Identity,
    { currentPassword, newEmail, caller, actor }: EmailChange,
  ): Promise<AccountRow> {
    const { store, events, audit } = this.#options;
    throwFaults(emailFaults(newEmail, 'new_email'));
    const before = await this.#confirm(identity, currentPassword, caller);
    const email = normalEmail(newEmail);
    const beforeCommit = audit.part(actor, {
      action: 'user.email_changed',
      target: ['user', before.id],
      details: { email },
    });
    const account = await this.#refusingTaken(email, before, () =>
      store.changeEmail({ user: identity.userId }, before.id, { email, beforeCommit }),
    );
    if (!account) throw new AppError('user_not_found');
    events.record('email_changed', { user_id: account.id });
    return account;
  }

  /**
   * Guesses here are limited per account and separately from logins, because a caller who guesses here already has a
   * session.
   */
  async #confirm(identity: Identity, currentPassword: string, caller: Caller): Promise<AccountRow> {
    const { guard, passwords, events } = this.#options;
    const account = await this.#read(identity);
    if (account.password_hash === null) {
      throw new AppError('current_password_wrong', { message: 'OAuth users cannot change password' });
    }
    const { isRight } = await guard.attempt(`password:${account.id}`, async () => ({
      about: account.id,
      isRight: await passwords.verify(currentPassword, account.password_hash, caller),
    }));
    if (isRight) return account;
    events.record('password_change_failed', { user_id: account.id });
    throw new AppError('current_password_wrong');
  }

  /** Another account may take the address between the check and the write. Then the unique column refuses it. */
  async #refusingTaken<Result>(
    email: string | undefined,
    account: AccountRow,
    write: () => Promise<Result>,
  ): Promise<Result> {
    if (email !== undefined) await this.#refuseTaken(email, account);
    try {
      return await write();
    } catch (error) {
      if (email !== undefined) await this.#refuseTaken(email, account);
      throw error;
    }
  }

  async #refuseTaken(email: string, account: AccountRow): Promise<void> {
    const owner: Owner = { system: 'e-mail change' };
    const holder = await this.#options.store.findByEmail(owner, email);
    if (holder && holder.id !== account.id) {
      throw new AppError('email_already_exists', { message: 'Email already in use' });
    }
  }

  async #whyUnchanged(identity: Identity): Promise<AppError> {
    await this.#read(identity);
    return new AppError('token_invalid', { message: 'Token revoked (password changed)' });
  }

  async #read({ userId }: Identity): Promise<AccountRow> {
    const account = await this.#options.store.find({ user: userId }, userId);
    if (!account) throw new AppError('user_not_found');
    return account;
  }
}
