import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { newSecret } from '../../lib/ids.ts';
import { createPrivateFile, readPrivateFile } from './private-file.ts';

export const minSecretLength = 32;

interface SecretSource {
  /** The secret from the environment or the configuration; empty when neither has one. */
  given: string | undefined;
  /** The data home, where a generated secret is kept so that sessions outlive a restart. */
  home: string;
}

/** Returns the secret from which every key is derived. */
export function loadSigningSecret({ given, home }: SecretSource): string {
  if (given) return longEnough(given, 'AUTH_JWT_SECRET (auth.jwt_secret)');
  const path = join(home, '.jwt_secret');
  const kept = readPrivateFile(path)?.trim();
  if (kept !== undefined) return longEnough(kept, path);
  createPrivateFile(path, `${newSecret(48)}\n`);
  return longEnough(readPrivateFile(path)?.trim() ?? '', path);
}

/** Returns a key for one purpose, so that a signature for one purpose is invalid for another. */
export function deriveKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, 'switchyard', purpose, 32)));
}

function longEnough(secret: string, where: string): string {
  if (secret.length >= minSecretLength) return secret;
  throw new Error(
    `The signing secret in ${where} has ${secret.length} characters; it needs at least ${minSecretLength} random ones, for example from "openssl rand -base64 48".`,
  );
}
