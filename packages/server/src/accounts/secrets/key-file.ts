import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { isRecord } from '@switchyard/contract/is-record';
import { toIso } from '../../lib/clock.ts';
import { newSecret } from '../../lib/ids.ts';

export const minSecretLength = 32;
/** A longer file is not read whole. */
const maxFileBytes = 8_192;
/** So many rotations fit into one overlap. */
const maxSecrets = 8;

/** A secret from which keys are derived. */
export interface SigningSecret {
  secret: string;
  /** Signs from then on; null for the first one, which always has. It is accepted as soon as it is known. */
  signsFromMs: number | null;
  /** Is refused from then on; null for the newest one. */
  acceptedUntilMs: number | null;
}

/** Returns a key for one purpose, so that a signature for one purpose is invalid for another. */
export function deriveKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'switchyard', purpose, 32)));
}

/** Returns a name for a secret, which does not reveal it. */
export function idOf({ secret }: Pick<SigningSecret, 'secret'>): string {
  return deriveKey(secret, 'id').export().toString('hex').slice(0, 8);
}

/** The secret of a file that was never rotated, and one of the configuration. Throws when it is too short. */
export function onlySecret(secret: string, where: string): SigningSecret[] {
  if (secret.length >= minSecretLength) return [{ secret, signsFromMs: null, acceptedUntilMs: null }];
  throw new Error(
    `The signing secret in ${where} has ${secret.length} characters; it needs at least ${minSecretLength} random ones, for example from "openssl rand -base64 48".`,
  );
}

/** Returns the secrets of a file: one as plain text, or several as JSON since the first rotation. Throws a sentence. */
export function parseKeyFile(text: string, path: string): SigningSecret[] {
  const plain = text.trim();
  if (!plain.startsWith('{')) return onlySecret(plain, path);
  const secrets = listIn(plain);
  const newest = secrets?.filter(({ acceptedUntilMs }) => acceptedUntilMs === null);
  if (!secrets || newest?.length !== 1)
    throw new Error(
      `${path} must hold one secret, or what "switchyard secrets rotate" writes: {"secrets": [{"secret", "signs_from", "accepted_until"}, …]} with one that has no accepted_until.`,
    );
  for (const { secret } of secrets) onlySecret(secret, path);
  return secrets;
}

/** Returns the text of a file with these secrets. */
export function keyFileText(secrets: readonly SigningSecret[]): string {
  const list = secrets.map(({ secret, signsFromMs, acceptedUntilMs }) => ({
    secret,
    ...(signsFromMs !== null && { signs_from: toIso(signsFromMs) }),
    ...(acceptedUntilMs !== null && { accepted_until: toIso(acceptedUntilMs) }),
  }));
  return `${JSON.stringify({ secrets: list }, null, 2)}\n`;
}

/**
 * Returns the secrets after a rotation. The new one signs after `leadMs`, when every process has read it, and the others are
 * refused `overlapMs` later. Throws a sentence when there are too many.
 */
export function rotated(
  secrets: readonly SigningSecret[],
  { nowMs, leadMs, overlapMs }: { nowMs: number; leadMs: number; overlapMs: number },
): SigningSecret[] {
  const signsFromMs = nowMs + leadMs;
  const endMs = signsFromMs + overlapMs;
  const former = secrets
    .filter(({ acceptedUntilMs }) => acceptedUntilMs === null || acceptedUntilMs > nowMs)
    .map((each) => ({ ...each, acceptedUntilMs: Math.min(each.acceptedUntilMs ?? endMs, endMs) }));
  const all = [...former, { secret: newSecret(48), signsFromMs, acceptedUntilMs: null }];
  if (all.length > maxSecrets || Buffer.byteLength(keyFileText(all)) > maxFileBytes) {
    const firstEndMs = Math.min(...former.map(({ acceptedUntilMs }) => acceptedUntilMs));
    throw new Error(
      `${former.length} former secrets are still accepted, and there is no room for more. Rotate again after ${toIso(firstEndMs)}.`,
    );
  }
  return all;
}

function listIn(text: string): SigningSecret[] | undefined {
  const found = parsed(text);
  if (!isRecord(found) || !Array.isArray(found.secrets) || found.secrets.length > maxSecrets)
    return undefined;
  const secrets = found.secrets.map(secretIn);
  return secrets.every((each) => each !== undefined) ? secrets : undefined;
}

function secretIn(value: unknown): SigningSecret | undefined {
  if (!isRecord(value) || typeof value.secret !== 'string') return undefined;
  const signsFromMs = timeIn(value.signs_from);
  const acceptedUntilMs = timeIn(value.accepted_until);
  if (signsFromMs === undefined || acceptedUntilMs === undefined) return undefined;
  return { secret: value.secret, signsFromMs, acceptedUntilMs };
}

/** Returns null when there is no time, and undefined when it cannot be read. */
function timeIn(value: unknown): number | null | undefined {
  if (value === undefined) return null;
  const epochMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller says what the file must hold.
  }
}
