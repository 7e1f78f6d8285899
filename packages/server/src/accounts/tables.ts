/** The tables that accounts own. Column names are the names on the wire. Times are ISO text, booleans are 0 or 1. */
export interface AccountTables {
  users: UserTable;
  revoked_sessions: RevokedSessionTable;
  access_tokens: AccessTokenTable;
  oauth_clients: OauthClientTable;
  oauth_grants: OauthGrantTable;
}

export interface UserTable {
  id: string;
  /** Always in lower case. */
  email: string;
  /** Null for an account that signs in elsewhere. */
  password_hash: string | null;
  system_role: 'admin' | 'user';
  created_at: string;
  oauth_provider: string | null;
  oauth_id: string | null;
  needs_setup: number;
  /** Part of every session token. Raising it ends all sessions of the account. */
  token_version: number;
  disabled: number;
  /**
   * 1 for the first administrator, null for all others. It is unique, so that only one of many processes creates that
   * account.
   */
  bootstrap: number | null;
}

/** The provider of accounts that the authentication of langgraph.json lets in; their `oauth_id` is the identity. */
export const customAuthProvider = 'langgraph_auth';

/** Sessions that were signed out, kept until their tokens expire. */
export interface RevokedSessionTable {
  session_id: string;
  expires_at: string;
}

export interface AccessTokenTable {
  id: string;
  user_id: string;
  name: string;
  /** SHA-256 of the token. The token is random, so a slow hash is not needed. */
  digest: string;
  /** A JSON list. */
  scopes: string;
  created_at: string;
  expires_at: string | null;
  /** Written late and in batches, with a precision of a minute. */
  last_used_at: string | null;
  /** The host to which the sign-in of a client led; null for a token that its user has made. */
  client: string | null;
  /** The only address that it opens; null when its scopes alone decide. */
  resource: string | null;
}

/** Clients that have registered themselves. */
export interface OauthClientTable {
  id: string;
  name: string;
  /** A JSON list. */
  redirect_uris: string;
  expires_at: string;
}

/** What a user allowed a client: first a code, then the tokens that came of it. Secrets are stored as SHA-256. */
export interface OauthGrantTable {
  /** The id of its access token too. */
  id: string;
  user_id: string;
  client_id: string;
  client_name: string;
  redirect_uri: string;
  resource: string;
  /** A JSON list. */
  scopes: string;
  code_digest: string;
  code_challenge: string;
  /** The part that all refresh tokens of the grant begin with; null until the code is exchanged. */
  family_digest: string | null;
  /** The one refresh token that counts. */
  refresh_digest: string | null;
  /** The end of the code, then of the refresh token. */
  expires_at: string;
}
