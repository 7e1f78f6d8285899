import type { Area } from '@switchyard/contract/areas';
import type { Scope } from '@switchyard/contract/endpoint';

/** Who is calling, after the credentials were checked. */
export interface Identity {
  userId: string;
  email: string;
  role: 'admin' | 'user';
  /** Another person chose the password, so it should be changed. */
  needsSetup: boolean;
  oauthProvider: string | null;
  via: 'bearer' | 'access_token' | 'cookie';
  /** The id that a logout revokes; for a personal access token, the token's id. */
  credentialId: string;
  /** The version of the account's sessions in which this one began; null for a personal access token. */
  sessionVersion: number | null;
  /** What a personal access token may do; null means no restriction. */
  scopes: readonly Scope[] | null;
  expiresAtMs: number | null;
}

/** What a request carries, before it was checked. */
export type Credentials =
  | { kind: 'none' }
  | { kind: 'header'; token: string }
  | { kind: 'cookie'; token: string };

/** Implemented by accounts. Throws an AppError with one of the four 401 codes. */
export interface Authenticator {
  /** The area decides which kinds of token count: a dispatch bearer token opens dispatch only. */
  authenticate(credentials: Exclude<Credentials, { kind: 'none' }>, area: Area): Promise<Identity>;
}
