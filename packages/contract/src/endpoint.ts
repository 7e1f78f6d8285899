import type { TSchema } from 'typebox';

/** What a personal access token may be allowed to do. */
export const scopes = [
  'dispatch:read',
  'dispatch:write',
  'conversation:read',
  'conversation:write',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

/**
 * Who may call an endpoint. `public`: anybody. `session`: any signed-in user whatever the token's scopes.
 * `admin`: the admin role (and, for a token, the admin scope). A scope: a signed-in user, and for a token that scope.
 * A route without it is refused, so nothing is opened by forgetting.
 */
export type Access = 'public' | 'session' | Scope;

/** Where it is set, a request with a cookie alone is refused as well: it needs the CSRF header, as a POST does. */
export interface ChangingFlag {
  name: string;
  scope: Scope;
}

/** An endpoint is a plain constant in Fastify's own route shape: the server spreads it, the client calls it. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Fastify notation: `/api/tasks/:taskId`. */
  url: string;
  config: {
    access: Access;
    /** Largest body in bytes where it differs from the shell's limit; `large` where messages or workflows travel. */
    bodyLimit?: number | 'large';
    /** Exempt from CSRF and checked by Origin instead (both logins, register, initialize, logout). */
    csrf?: 'origin';
    /** Refused to personal access tokens: what it gives would outlive the token that asked for it. */
    sessionOnly?: true;
    /** A query flag by which a request that otherwise only reads changes something, and the scope that it then needs. */
    changingFlag?: ChangingFlag;
  };
  schema: {
    summary: string;
    description?: string;
    tags: string[];
    params?: TSchema;
    querystring?: TSchema;
    headers?: TSchema;
    body?: TSchema;
    /** Content types of the body; `application/json` when absent. */
    consumes?: string[];
    /** Content types of the answer; `application/json` when absent. */
    produces?: string[];
    response: Record<number, TSchema>;
  };
}
