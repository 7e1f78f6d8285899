import { type Static, Type } from 'typebox';
import { type Endpoint, type Scope, scopes } from '../endpoint.ts';
import { nullable, oneOf } from '../shapes.ts';

/** The sign-in of other people's clients, in the words of OAuth 2.1. It is off unless `doors.mcp.oauth.enabled` is set. */

const tags = ['Sign-in of clients'];
const anyone = { access: 'public', bodyLimit: 16_384 } as const;

/** What a client can be given. Managing the gateway is for people, and the door for ComfyUI has tokens of its own. */
export const grantableScopes: readonly Scope[] = scopes.filter(
  (scope) => scope !== 'admin' && scope !== 'comfyui',
);

/** The page of the console that asks a user; clients open it in a browser. */
export const consentPath = '/connect';

const value = Type.String({ maxLength: 2_000 });
const given = Type.Optional(value);

/** The query of a client. Which of its faults the client is told, and which the user alone, is decided by the gateway. */
export const grantRequest = Type.Object({
  client_id: given,
  redirect_uri: given,
  response_type: given,
  code_challenge: given,
  code_challenge_method: given,
  scope: given,
  state: given,
  resource: given,
});
export type GrantRequest = Static<typeof grantRequest>;

export const consent = Type.Object({
  client: Type.String({ description: 'The name that the client gives itself.' }),
  document: nullable(
    Type.String({
      description:
        'The host that describes the client, which proves whose it is; null for one that anyone can register.',
    }),
  ),
  redirect_host: Type.String({ description: 'The host that gets the sign-in.' }),
  scopes: Type.Array(oneOf(scopes)),
  refusal: nullable(
    Type.Object({
      error: Type.String({ description: 'Why nothing can be allowed, as OAuth calls it.' }),
      redirect_to: Type.String({ description: 'Tells the client so.' }),
    }),
  ),
});
export type Consent = Static<typeof consent>;

export const readGrantRequest = {
  method: 'GET',
  url: '/api/v1/auth/grants/request',
  config: { access: 'session', sessionOnly: true },
  schema: {
    summary: 'What a client asks for',
    description: 'In a session only. Reads the document of the client when its id is an address.',
    tags,
    querystring: grantRequest,
    response: { 200: consent },
  },
} as const satisfies Endpoint;

export const decideGrant = {
  method: 'POST',
  url: '/api/v1/auth/grants',
  config: { access: 'session', sessionOnly: true, bodyLimit: 16_384 },
  schema: {
    summary: 'Allow or refuse what a client asks for',
    description:
      'In a session only: a token gives no tokens. The client exchanges the code in the address for a token, which `GET /api/v1/auth/tokens` lists.',
    tags,
    body: Type.Object({ ...grantRequest.properties, allow: Type.Boolean() }),
    response: { 200: Type.Object({ redirect_to: Type.String() }) },
  },
} as const satisfies Endpoint;

const oauthError = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.String()) });
const off = { 404: oauthError };
const words = Type.Array(Type.String());

export const readResourceMetadata = {
  method: 'GET',
  url: '/.well-known/oauth-protected-resource/mcp',
  config: anyone,
  schema: {
    summary: 'Where clients of /mcp sign in (RFC 9728)',
    description: '404 while the sign-in of clients is off.',
    tags,
    response: {
      200: Type.Object({
        resource: Type.String(),
        authorization_servers: words,
        scopes_supported: words,
        bearer_methods_supported: words,
        resource_name: Type.String(),
      }),
      ...off,
    },
    errorBody: oauthError,
  },
} as const satisfies Endpoint;

export const readServerMetadata = {
  method: 'GET',
  url: '/.well-known/oauth-authorization-server',
  config: anyone,
  schema: {
    summary: 'How clients sign in (RFC 8414)',
    description: '404 while the sign-in of clients is off.',
    tags,
    response: {
      200: Type.Object({
        issuer: Type.String(),
        authorization_endpoint: Type.String(),
        token_endpoint: Type.String(),
        registration_endpoint: Type.String(),
        revocation_endpoint: Type.String(),
        scopes_supported: words,
        response_types_supported: words,
        response_modes_supported: words,
        grant_types_supported: words,
        token_endpoint_auth_methods_supported: words,
        revocation_endpoint_auth_methods_supported: words,
        code_challenge_methods_supported: words,
        client_id_metadata_document_supported: Type.Boolean(),
        authorization_response_iss_parameter_supported: Type.Boolean(),
      }),
      ...off,
    },
    errorBody: oauthError,
  },
} as const satisfies Endpoint;

export const newClient = Type.Object({
  redirect_uris: Type.Array(value, { minItems: 1, maxItems: 10 }),
  client_name: Type.Optional(Type.String({ maxLength: 200 })),
});
export type NewClient = Static<typeof newClient>;

export const registerClient = {
  method: 'POST',
  url: '/oauth/register',
  config: anyone,
  schema: {
    summary: 'Register a client (RFC 7591)',
    description: 'One that no user allows anything within a day is forgotten. It gets no secret.',
    tags,
    body: newClient,
    response: {
      201: Type.Object({
        client_id: Type.String(),
        client_id_issued_at: Type.Integer(),
        client_name: Type.String(),
        redirect_uris: words,
        grant_types: words,
        response_types: words,
        token_endpoint_auth_method: Type.String(),
      }),
    },
    errorBody: oauthError,
  },
} as const satisfies Endpoint;

export const tokenRequest = Type.Object({
  grant_type: value,
  client_id: value,
  code: given,
  redirect_uri: given,
  code_verifier: given,
  refresh_token: given,
  scope: given,
  resource: given,
});
export type TokenRequest = Static<typeof tokenRequest>;

export const issueToken = {
  method: 'POST',
  url: '/oauth/token',
  config: anyone,
  schema: {
    summary: 'Exchange a code, or refresh a token',
    description:
      'A code is good for one exchange within a minute. A refresh token is good for one use: a second use ends the sign-in.',
    tags,
    consumes: ['application/x-www-form-urlencoded'],
    body: tokenRequest,
    response: {
      200: Type.Object({
        access_token: Type.String(),
        token_type: Type.String(),
        expires_in: Type.Integer(),
        refresh_token: Type.String(),
        scope: Type.String(),
      }),
    },
    errorBody: oauthError,
  },
} as const satisfies Endpoint;

export const revokeToken = {
  method: 'POST',
  url: '/oauth/revoke',
  config: anyone,
  schema: {
    summary: 'End a sign-in by one of its tokens (RFC 7009)',
    description: 'Answers the same for a token that it does not know.',
    tags,
    consumes: ['application/x-www-form-urlencoded'],
    body: Type.Object({ token: value }),
    response: { 200: Type.Object({}) },
    errorBody: oauthError,
  },
} as const satisfies Endpoint;
