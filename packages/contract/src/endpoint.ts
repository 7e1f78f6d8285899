import type { TSchema } from 'typebox';

/** The things that a personal access token may be allowed to do. */
export const scopes = [
  'dispatch:read',
  'dispatch:write',
  'conversation:read',
  'conversation:write',
  'admin',
  'comfyui',
  'mcp',
] as const;
export type Scope = (typeof scopes)[number];

/** The scope of tokens that open the door for clients of ComfyUI and nothing else. It stands alone, so such a token may be in an address. */
export const doorScope = 'comfyui' satisfies Scope;

/**
 * The callers of an endpoint. `public`: anyone. `session`: any signed-in user, whatever the scopes of the token.
 * `admin`: the admin role (and, for a token, the admin scope). A scope: a signed-in user, and for a token that scope.
 * The server refuses to register a route without it, so a forgotten line cannot open an endpoint.
 */
export type Access = 'public' | 'session' | Scope;

/** When this is set, a request with a cookie also needs the CSRF header, as a POST does. */
export interface ChangingFlag {
  name: string;
  scope: Scope;
}

/** An address that has a better successor and goes. The rule of docs/guide/versions.md says how long it stays. */
export interface Deprecation {
  /** The day of the announcement, as `2026-11-28`. */
  since: string;
  /** The day until which it answers at least. */
  until: string;
  /** Method and address of the successor, as OpenAPI writes them. */
  instead: string;
}

/** An endpoint is a plain constant in Fastify's own route shape: the server spreads it, the client calls it. */
export interface Endpoint {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Fastify notation: `/api/tasks/:taskId`. */
  url: string;
  config: {
    access: Access;
    /**
     * The maximum body size in bytes, if it differs from the server's limit; `large` for endpoints that take messages
     * or workflows.
     */
    bodyLimit?: number | 'large';
    /**
     * For a public endpoint: a caller who sends a credential is known before the handler, so that the request counts as the user's and
     * not as a stranger's. The handler decides what a credential that is not valid means.
     */
    recognises?: true;
    /** A session cookie does not count here: the caller sends a credential in a header. */
    headerOnly?: true;
    /**
     * Set when a token of the door may call it as well. Such a token has no other scope, and opens no endpoint without
     * this.
     */
    door?: typeof doorScope;
    /** Set on the address for which clients of others get tokens. Such a token opens no endpoint without this. */
    takesClients?: true;
    /** Exempt from CSRF and checked by Origin instead (both logins, register, initialize, logout). */
    csrf?: 'origin';
    /**
     * Personal access tokens are refused, because what this endpoint changes would outlive the token that asked for it.
     */
    sessionOnly?: true;
    /** A query flag that makes a reading request change something, and the scope that the request then needs. */
    changingFlag?: ChangingFlag;
    /**
     * A JSON body may have the type `text/plain` or none when the caller sends a credential in a header. No page of another site
     * can send such a header by itself.
     */
    untypedJson?: true;
    /**
     * Takes the paths below its own that no other route has, with bodies of every type as they came.
     */
    takesRest?: true;
    /**
     * Requests with the same credential and the same value of this path parameter take effect in the order in which they
     * arrive.
     */
    inOrderOf?: string;
    deprecated?: Deprecation;
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
    /** The body of errors, for an interface that another project has described. */
    errorBody?: TSchema;
  };
}
