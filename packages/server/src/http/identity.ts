import type { Area } from '@switchyard/contract/areas';
import type { Scope } from '@switchyard/contract/endpoint';

/** Who is calling, once the credentials have been checked. */
export interface Identity {
  userId: string;
  email: string;
  role: 'admin' | 'user';
  /** The password was made by somebody else and should be changed. */
  needsSetup: boolean;
  oauthProvider: string | null;
  via: 'bearer' | 'access_token' | 'cookie';
  /** The id that logout revokes; for a personal access token, the token's id. */
  credentialId: string;
  /** What a personal access token may do; null where nothing is held back. */
  scopes: readonly Scope[] | null;
  expiresAtMs: number | null;
}

/** What a request brought along, before anybody looked at it. */
export type Credentials =
  | { kind: 'none' }
  | { kind: 'header'; token: string }
  | { kind: 'cookie'; token: string };

/** Implemented by accounts. Throws an AppError with one of the four 401 codes. */
export interface Authenticator {
  /** The area decides which kinds of token count: a dispatch bearer token opens dispatch only. */
  authenticate(credentials: Exclude<Credentials, { kind: 'none' }>, area: Area): Promise<Identity>;
}
