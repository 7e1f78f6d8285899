import { createHmac, type KeyObject } from 'node:crypto';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../lib/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { isSameText } from '../lib/same-text.ts';
import type { Keys } from '../platform/keys.ts';
import type { SigningKeys } from './secrets/signing-keys.ts';

/**
 * The cookie of the conversation area, and the bearer token of the dispatch area. One kind is never accepted as the
 * other.
 */
export const sessionKinds = ['session', 'dispatch'] as const;
export type SessionKind = (typeof sessionKinds)[number];

/**
 * A session also gives a page on another origin a ticket, which opens it once, and then a cookie of its own. Both end with the
 * session.
 */
const tokenKinds = [...sessionKinds, 'page_ticket', 'page'] as const;
export type TokenKind = (typeof tokenKinds)[number];

export interface SessionClaims {
  /** User id. */
  sub: string;
  /** The account's `token_version` when the token was made. A higher version ends the session. */
  ver: number;
  /** Session id; a logout revokes it. */
  jti: string;
  aud: TokenKind;
  /** The session behind a ticket, whose own id is used up with it. */
  session?: { jti: string; exp: number };
  iat: number;
  nbf: number;
  exp: number;
}

const maxTokenLength = 2_048;

/** The last second that a JavaScript date can hold. */
const lastSecond = 8_640_000_000_000;

/** A clock that was set back must not end every session that began before. */
const clockStepSeconds = 86_400;

/**
 * Our own JWTs, HS256 only. The header is compared as text with the one that we write, so the header of a stranger is
 * never interpreted. Kinds differ in key, `typ` and `aud`.
 */
export class SessionTokens {
  readonly #clock: Clock;
  readonly #keys: Record<TokenKind, Keys>;

  constructor({ keys, clock }: { keys: Pick<SigningKeys, 'for'>; clock: Clock }) {
    this.#clock = clock;
    this.#keys = {
      session: keys.for('session token'),
      dispatch: keys.for('dispatch token'),
      page_ticket: keys.for('page ticket'),
      page: keys.for('page token'),
    };
  }

  sign(
    kind: TokenKind,
    claims: Pick<SessionClaims, 'sub' | 'ver' | 'jti' | 'session'> & { ttlSeconds: number },
  ): string {
    const { ttlSeconds, ...rest } = claims;
    const iat = Math.floor(this.#clock() / 1_000);
    const payload: SessionClaims = { ...rest, aud: kind, iat, nbf: iat, exp: iat + ttlSeconds };
    const signed = `${headers[kind]}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
    return `${signed}.${macOf(this.#keys[kind].signing(), signed)}`;
  }

  /** Throws `token_invalid` or `token_expired`. */
  verify(kind: TokenKind, token: string): SessionClaims {
    const end = token.lastIndexOf('.');
    const signed = token.slice(0, end);
    const [header, payload, ...rest] = signed.split('.');
    if (token.length > maxTokenLength || header !== headers[kind] || !payload || rest.length > 0) {
      throw invalid('malformed');
    }
    if (!this.#isSigned(kind, signed, token.slice(end + 1))) throw invalid('invalid_signature');
    const claims = claimsIn(Buffer.from(payload, 'base64url').toString());
    const now = Math.floor(this.#clock() / 1_000);
    if (claims?.aud !== kind) throw invalid('malformed');
    if (Math.max(claims.iat, claims.nbf) > now + clockStepSeconds) throw invalid('malformed');
    if (claims.exp <= now) throw new AppError('token_expired', { message: 'Token error: expired' });
    return claims;
  }

  /** Returns whether this is a token of our kind that another gateway has made, or this one under another secret. */
  isForeign(kind: SessionKind, token: string): boolean {
    const end = token.lastIndexOf('.');
    const isOurKind = token.length <= maxTokenLength && token.startsWith(`${headers[kind]}.`);
    return isOurKind && !this.#isSigned(kind, token.slice(0, end), token.slice(end + 1));
  }

  #isSigned(kind: TokenKind, text: string, mac: string): boolean {
    return this.#keys[kind].accepted().some((key) => isSameText(mac, macOf(key, text)));
  }
}

function macOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

const headers = Object.fromEntries(tokenKinds.map((kind) => [kind, header(kind)])) as Record<
  TokenKind,
  string
>;

function header(kind: TokenKind): string {
  return Buffer.from(JSON.stringify({ alg: 'HS256', typ: `sy-${kind}+jwt` })).toString('base64url');
}

/**
 * Returns undefined unless every claim exists with its own type. A signature proves who wrote a token, but not that it
 * is complete.
 */
function claimsIn(payload: string): SessionClaims | undefined {
  const claims = parsed(payload);
  if (!isRecord(claims)) return undefined;
  const { sub, ver, jti, aud, session, iat, nbf, exp } = claims;
  const hasSession = isRecord(session) && isId(session.jti) && isCount(session.exp);
  const isWhole =
    isId(sub) &&
    isId(jti) &&
    isKind(aud) &&
    hasSession === (aud === 'page_ticket') &&
    [ver, iat, nbf, exp].every(isCount);
  return isWhole ? (claims as unknown as SessionClaims) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Text that is not JSON holds no claims.
  }
}

/** The format of our ids and secrets, with room for longer ones. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,128}$/.test(value);
}

function isKind(value: unknown): value is TokenKind {
  return tokenKinds.some((kind) => kind === value);
}

/** A version, or seconds within the range of dates. */
function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= lastSecond;
}

function invalid(reason: 'malformed' | 'invalid_signature'): AppError {
  return new AppError('token_invalid', { message: `Token error: ${reason}` });
}
