import type { Role } from '@switchyard/contract/accounts/account';
import { toIso } from '../lib/clock.ts';
import { newId, newSecret } from '../lib/ids.ts';
import type { AccountRow } from './account-store.ts';
import { normalEmail } from './email.ts';
import { customAuthProvider } from './tables.ts';

interface NewAccountFields {
  email: string;
  passwordHash: string;
  role: Role;
  /** Another person chose the password. */
  needsSetup: boolean;
  /** True for the first administrator; there is only one. */
  isBootstrap?: boolean;
  atMs: number;
}

export function newAccountRow(fields: NewAccountFields): AccountRow {
  return {
    id: newId(),
    email: normalEmail(fields.email),
    password_hash: fields.passwordHash,
    system_role: fields.role,
    created_at: toIso(fields.atMs),
    oauth_provider: null,
    oauth_id: null,
    needs_setup: fields.needsSetup ? 1 : 0,
    token_version: 0,
    disabled: 0,
    bootstrap: fields.isBootstrap ? 1 : null,
  };
}

/** An account that has no password. Its address cannot exist, because the top-level domain is reserved for that. */
export function customAccountRow(identity: string, atMs: number): AccountRow {
  const id = newId();
  return {
    id,
    email: `${id}@custom-auth.invalid`,
    password_hash: null,
    system_role: 'user',
    created_at: toIso(atMs),
    oauth_provider: customAuthProvider,
    oauth_id: identity,
    needs_setup: 0,
    token_version: 0,
    disabled: 0,
    bootstrap: null,
  };
}

/** 128 bits that are shown, or written to a file, once. */
export function newOneTimePassword(): string {
  return newSecret(16);
}
