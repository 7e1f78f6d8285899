import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The two query parameters with which a link to a file works without credentials for some time. */
export interface LinkSignature {
  /** Seconds since the epoch. */
  expires: string;
  sig: string;
}

/**
 * The end of the lifetime is rounded up to the next full hour. A link is created again at each read, and so stays the
 * same for an hour, and a browser keeps what it has loaded.
 */
const roundedToSeconds = 3_600;

export function signLink(
  key: KeyObject,
  fileId: string,
  { nowMs, lifetimeMs }: { nowMs: number; lifetimeMs: number },
): LinkSignature {
  const endSeconds = (nowMs + lifetimeMs) / 1000;
  const expires = String(Math.ceil(endSeconds / roundedToSeconds) * roundedToSeconds);
  return { expires, sig: signatureOf(key, fileId, expires).toString('base64url') };
}

/**
 * Takes the parameters as they arrived. The comparison takes constant time, and the time limit is checked only after
 * the signature.
 */
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

/** When a signed link ends. */
export function endOfLink(url: string): Date {
  return new Date(Number(new URL(url).searchParams.get('expires')) * 1000);
}

/** The first line prevents the use of the signature for anything else under the same key. */
function signatureOf(key: KeyObject, fileId: string, expires: string): Buffer {
  return createHmac('sha256', key).update(`switchyard file link\n${fileId}\n${expires}`).digest();
}
