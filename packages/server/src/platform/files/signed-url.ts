import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The two query parameters that make a link to a file open for a while without credentials. */
export interface LinkSignature {
  /** Seconds since the epoch. */
  expires: string;
  sig: string;
}

interface SignOptions {
  nowMs: number;
  lifetimeMs: number;
}

/**
 * The end of the lifetime is rounded up to the next full hour: a link that is made anew at each read stays the same for an
 * hour, so that a browser keeps what it has loaded.
 */
const roundedToSeconds = 3_600;

export function signLink(key: KeyObject, fileId: string, { nowMs, lifetimeMs }: SignOptions): LinkSignature {
  const endSeconds = (nowMs + lifetimeMs) / 1000;
  const expires = String(Math.ceil(endSeconds / roundedToSeconds) * roundedToSeconds);
  return { expires, sig: signatureOf(key, fileId, expires).toString('base64url') };
}

/** Takes the parameters as they came. Compares in constant time, and the time limit only once the signature is right. */
export function isLinkValid(
  key: KeyObject,
  fileId: string,
  { expires, sig, nowMs }: { expires: string | undefined; sig: string | undefined; nowMs: number },
): boolean {
  if (expires === undefined || sig === undefined || !/^\d{1,12}$/.test(expires)) return false;
  const expected = signatureOf(key, fileId, expires);
  const given = Buffer.from(sig, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return Number(expires) * 1000 > nowMs;
}

/** The first line keeps the signature from meaning anything elsewhere under the same key. */
function signatureOf(key: KeyObject, fileId: string, expires: string): Buffer {
  return createHmac('sha256', key).update(`switchyard file link\n${fileId}\n${expires}`).digest();
}
