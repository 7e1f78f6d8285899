import { newOneTimePassword } from '../accounts/account.ts';
import { AccountStore } from '../accounts/account-store.ts';
import { normalEmail } from '../accounts/email.ts';
import { CommonPasswords } from '../accounts/passwords/common-passwords.ts';
import { Passwords } from '../accounts/passwords/passwords.ts';
import { credentialsPath, writeCredentials } from '../accounts/secrets/credentials-file.ts';
import type { AccountTables } from '../accounts/tables.ts';
import { systemClock } from '../lib/clock.ts';
import type { Owner } from '../lib/owner.ts';
import { Audit, type AuditPart, noRecord, systemActor } from '../platform/audit/audit.ts';
import { AuditStore } from '../platform/audit/audit-store.ts';
import type { AuditTables } from '../platform/audit/tables.ts';
import type { Database } from '../platform/database/database.ts';

export type ResetAdminOutcome =
  | { ok: true; email: string; credentialsPath: string }
  | { ok: false; message: string };

const owner: Owner = { system: 'reset-admin' };

/** Gives an account a new password that must be changed, ends its sessions, and writes the credentials file. */
export async function resetAdmin(options: {
  /** The database may be in use by a running gateway, which reads accounts for every request. */
  database: Database<AccountTables>;
  home: string;
  /** The account to reset; by default the bootstrap administrator, or else the first one. */
  email?: string | undefined;
  /** Overrides the usual bcrypt cost. */
  passwordCost?: number | undefined;
}): Promise<ResetAdminOutcome> {
  const { database, home, passwordCost } = options;
  if (database.backend === 'memory') {
    return {
      ok: false,
      message: 'Nothing outlives the process with database.backend: memory; restart it instead.',
    };
  }
  const store = new AccountStore(database);
  const account = await find(store, options.email);
  if (!account) return { ok: false, message: whyNone(options.email) };
  if (account.disabled) {
    return { ok: false, message: `${account.email} is disabled. Let another administrator enable it first.` };
  }
  const passwords = new Passwords({
    hashing: { concurrency: 1, queue: 1 },
    common: new CommonPasswords(),
    cost: passwordCost,
  });
  const password = newOneTimePassword();
  const record = await recordOfReset(database, account.id);
  const changed = await store.changePassword(owner, account.id, {
    hash: await passwords.hash(password),
    needsSetup: true,
    expectedVersion: account.token_version,
    beforeCommit: async (trx) => {
      await record(trx);
      writeCredentials(home, 'reset', { email: account.email, password });
    },
  });
  if (!changed)
    return { ok: false, message: `${account.email} was changed meanwhile. Run the command again.` };
  return { ok: true, email: account.email, credentialsPath: credentialsPath(home) };
}

/** The gateway beside this command may be of a version that keeps no audit record. */
async function recordOfReset(database: Database<AccountTables>, userId: string): Promise<AuditPart> {
  const store = new AuditStore(database.withTables<AuditTables>());
  if (!(await store.exists())) return noRecord;
  const audit = new Audit(store, systemClock);
  return audit.part(systemActor('reset-admin'), { action: 'user.password_reset', target: ['user', userId] });
}

async function find(store: AccountStore, email: string | undefined) {
  if (email !== undefined) return store.findByEmail(owner, normalEmail(email));
  return (await store.findBootstrapAdmin(owner)) ?? store.findFirstAdmin(owner);
}

function whyNone(email: string | undefined): string {
  if (email !== undefined) return `No account has the e-mail address ${email}.`;
  return 'There is no administrator yet. Start the gateway once; it makes one.';
}
