import { isRecord } from '@switchyard/contract/is-record';
import type { CustomUser } from '../../http/access/identity.ts';
import { AppError } from '../../lib/app-error.ts';
import { storable } from '../../lib/storable-text.ts';
import { nonsense } from './thrown.ts';

/** The width of the column. */
const maxIdentityLength = 128;
const maxNameLength = 256;
const maxPermissions = 200;
/** It is stored with every run. */
const maxUserBytes = 8_192;

/** Reads whom an `authenticate` handler names: a text, or an object with an identity. Throws when that cannot be used. */
export function readUser(answer: unknown): CustomUser {
  const given = typeof answer === 'string' ? { identity: answer } : answer;
  if (!isRecord(given)) throw nonsense('authenticate returned neither a text nor an object with an identity');
  const { is_authenticated: isAuthenticated = true } = given;
  if (isAuthenticated === false) throw new AppError('custom_auth_rejected');
  if (isAuthenticated !== true) throw nonsense('is_authenticated of authenticate must be true or false');
  const identity = identityOf(given.identity);
  return copyOf({
    ...given,
    identity,
    display_name: nameOf(given.display_name ?? identity),
    permissions: permissionsOf(given.permissions ?? []),
    is_authenticated: true,
  });
}

function identityOf(value: unknown): string {
  const isUsable = typeof value === 'string' && value !== '' && value.length <= maxIdentityLength;
  if (isUsable && storable(value) === value) return value;
  throw nonsense(`identity of authenticate must be a text of 1 to ${maxIdentityLength} characters`);
}

function nameOf(value: unknown): string {
  if (typeof value === 'string' && value.length <= maxNameLength) return value;
  throw nonsense(`display_name of authenticate must be a text of at most ${maxNameLength} characters`);
}

function permissionsOf(value: unknown): string[] {
  const isList = Array.isArray(value) && value.length <= maxPermissions;
  if (isList && value.every((each) => typeof each === 'string')) return value;
  throw nonsense(`permissions of authenticate must be a list of at most ${maxPermissions} texts`);
}

/** Only JSON can be stored with a run. */
function copyOf(user: CustomUser): CustomUser {
  const text = textOf(user);
  if (Buffer.byteLength(text) > maxUserBytes) {
    throw nonsense(`what authenticate returns has more than ${maxUserBytes} bytes as JSON`);
  }
  return JSON.parse(text) as CustomUser;
}

function textOf(user: CustomUser): string {
  try {
    return JSON.stringify(user);
  } catch {
    throw nonsense('what authenticate returns cannot be written as JSON');
  }
}
