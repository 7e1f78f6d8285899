import { createHmac, type KeyObject } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';
import { isSameText } from '../../lib/same-text.ts';
import type { Keys } from '../../platform/keys.ts';

/** The value that a browser must send beside its session cookie with every request that changes something. */
export class CsrfTokens {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Bound to the session, so that a value from the cookie of a neighbouring site is useless. */
  valueFor(sessionId: string): string {
    return csrfValue(this.#keys.signing(), sessionId);
  }

  /** The documented rule, which needs no session: the header exists and equals the cookie. */
  checkPair(header: string | string[] | undefined, cookie: string | undefined): string {
    if (typeof header !== 'string' || header === '' || !cookie) throw new AppError('csrf_missing');
    if (!isSameText(header, cookie)) throw new AppError('csrf_mismatch');
    return header;
  }

  checkBinding(value: string, sessionId: string): void {
    const isOurs = this.#keys.accepted().some((key) => isSameText(value, csrfValue(key, sessionId)));
    if (!isOurs) throw new AppError('csrf_mismatch');
  }
}

function csrfValue(key: KeyObject, sessionId: string): string {
  return createHmac('sha512', key).update(sessionId).digest('base64url');
}
