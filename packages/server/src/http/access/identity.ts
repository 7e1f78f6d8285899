import type { IncomingHttpHeaders } from 'node:http';
import type { Area } from '@switchyard/contract/areas';
import type { Scope } from '@switchyard/contract/endpoint';

/** The caller, after the credentials were checked. */
export interface Identity {
  userId: string;
  email: string;
  role: 'admin' | 'user';
  /** Another person chose the password, so it should be changed. */
  needsSetup: boolean;
  oauthProvider: string | null;
  via: 'bearer' | 'access_token' | 'cookie' | 'custom_auth' | 'own_code';
  /** The id that a logout revokes; for a personal access token, the token's id. */
  credentialId: string;
  /** The version of the account's sessions in which this one began; null for a personal access token. */
  sessionVersion: number | null;
  /** The things that a personal access token may do; null means no restriction. */
  scopes: readonly Scope[] | null;
  expiresAtMs: number | null;
  /** The client of others that its user let sign in; its token opens one address alone. */
  client?: string;
  /** The answer of the operator's own authentication about the caller; absent for users with a credential of the gateway. */
  custom?: CustomUser;
}

/** A caller as the `authenticate` handler of LangGraph's `Auth` names them. All of it is JSON. */
export interface CustomUser {
  identity: string;
  display_name: string;
  is_authenticated: boolean;
  permissions: string[];
  [further: string]: unknown;
}

/** The operator's own authentication. It decides about requests that carry no credential of the gateway. */
export interface CustomAuthenticator {
  authenticate(request: UnknownRequest): Promise<Identity>;
}

/** A request whose caller is not known yet. */
export interface UnknownRequest {
  id: string;
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: readonly string[];
  /** The origin under which the client reached the gateway; undefined when the request does not show it. */
  origin: string | undefined;
  /** Names the address that the request comes from. */
  network: string;
}

/** The credentials that a request carries, before they are checked. */
export type Credentials =
  | { kind: 'none' }
  | { kind: 'header'; token: string }
  | { kind: 'cookie'; token: string }
  /** The cookie of a page that shows what workers wrote, on an origin of its own. */
  | { kind: 'page_cookie'; token: string };

/** Implemented by accounts. Throws an AppError with one of the four 401 codes. */
export interface Authenticator {
  /** The area decides which kinds of token count: a dispatch bearer token opens dispatch only. */
  authenticate(credentials: Exclude<Credentials, { kind: 'none' }>, area: Area): Promise<Identity>;
}
