import { newAccountRow, newOneTimePassword } from '../accounts/account.ts';
import type { AccountLog } from '../accounts/account-events.ts';
import type { AccountRow, AccountStore, BeforeCommit } from '../accounts/account-store.ts';
import type { Passwords } from '../accounts/passwords/passwords.ts';
import { credentialsPath, readCredentials, writeCredentials } from '../accounts/secrets/credentials-file.ts';
import type { Clock } from '../lib/clock.ts';
import type { Owner } from '../lib/owner.ts';
import { type Audit, systemActor } from '../platform/audit/audit.ts';

interface BootstrapAdminOptions {
  store: AccountStore;
  passwords: Passwords;
  home: string;
  /** Leaves the password as it is when the credentials file is not in this home. */
  keepsPassword?: boolean;
  mode: 'auto' | 'interactive';
  /** The e-mail address of the account to create. An existing account keeps its own. */
  email: string;
  audit: Pick<Audit, 'part'>;
  log: AccountLog;
  clock: Clock;
}

export interface BootstrapOutcome {
  /** `waiting`: the first visitor creates the administrator. */
  outcome: 'created' | 'reset' | 'kept' | 'waiting';
  /** The path of the credentials while the initial password is in use. */
  credentialsPath: string | null;
}

const owner: Owner = { system: 'bootstrap' };

/**
 * Ensures at start that there is an administrator who can sign in. The credentials file is written before the account's
 * row is committed, while that row is locked. So if several processes start at once, one of them writes the file. If a
 * crash leaves a file without its row, the next start replaces the file.
 */
export async function bootstrapAdmin(options: BootstrapAdminOptions): Promise<BootstrapOutcome> {
  const { store, home, mode, log } = options;
  const admin = await store.findBootstrapAdmin(owner);
  if (admin) return keepOrReset(options, admin);
  if (await store.findFirstAdmin(owner)) return { outcome: 'kept', credentialsPath: null };
  if (mode === 'interactive') {
    log.info({}, 'No administrator exists yet: the first POST to /api/v1/auth/initialize makes one.');
    return { outcome: 'waiting', credentialsPath: null };
  }
  if (!(await create(options))) return { outcome: 'kept', credentialsPath: null };
  log.info(
    { path: credentialsPath(home) },
    'The administrator was created; the credentials are in this file.',
  );
  return { outcome: 'created', credentialsPath: credentialsPath(home) };
}

async function create({
  store,
  passwords,
  audit,
  home,
  email,
  clock,
}: BootstrapAdminOptions): Promise<boolean> {
  const password = newOneTimePassword();
  const row = newAccountRow({
    email,
    passwordHash: await passwords.hash(password),
    role: 'admin',
    needsSetup: true,
    isBootstrap: true,
    atMs: clock(),
  });
  const record = audit.part(systemActor('start of the gateway'), {
    action: 'user.initialized',
    target: ['user', row.id],
    details: { email: row.email },
  });
  const write: BeforeCommit = async (trx) => {
    await record(trx);
    writeCredentials(home, 'initial', { email: row.email, password });
  };
  if (await store.insert(owner, row, write)) return true;
  if (await store.findFirstAdmin(owner)) return false; // Another process was first.
  throw new Error(
    `The administrator cannot be made: ${row.email} belongs to an ordinary account. Set auth.admin_email to another address.`,
  );
}

async function keepOrReset(options: BootstrapAdminOptions, admin: AccountRow): Promise<BootstrapOutcome> {
  const { store, passwords, audit, home, keepsPassword, log } = options;
  const path = credentialsPath(home);
  if (!admin.needs_setup || admin.disabled) return { outcome: 'kept', credentialsPath: null };
  const written = readCredentials(home);
  if (written?.email === admin.email && (await passwords.verify(written.password, admin.password_hash))) {
    return { outcome: 'kept', credentialsPath: path };
  }
  if (keepsPassword) {
    log.info(
      { path },
      'The credentials of the administrator are not in this home; they are in that of the replica that made them, and switchyard reset-admin makes others.',
    );
    return { outcome: 'kept', credentialsPath: null };
  }
  const password = newOneTimePassword();
  const reset = await store.changePassword(owner, admin.id, {
    hash: await passwords.hash(password),
    needsSetup: true,
    expectedVersion: admin.token_version,
    beforeCommit: async (trx) => {
      await audit.part(systemActor('start of the gateway'), {
        action: 'user.password_reset',
        target: ['user', admin.id],
      })(trx);
      writeCredentials(home, 'reset', { email: admin.email, password });
    },
  });
  if (!reset) return { outcome: 'kept', credentialsPath: null };
  log.warn(
    { event: 'admin_reset', user_id: admin.id, path },
    'The initial credentials were lost, so the password was reset; the new ones are in this file.',
  );
  return { outcome: 'reset', credentialsPath: path };
}
