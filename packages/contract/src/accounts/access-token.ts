import { type Static, Type } from 'typebox';
import { type Endpoint, scopes } from '../endpoint.ts';
import { isoTime, nullable, oneOf } from '../shapes.ts';

const tags = ['Access tokens'];

export const accessToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(oneOf(scopes)),
  created_at: isoTime,
  expires_at: nullable(isoTime),
  last_used_at: nullable(isoTime),
  client: nullable(
    Type.String({
      description:
        'The host to which the sign-in of a client led, which renews this token; null for one that you made.',
    }),
  ),
});
export type AccessToken = Static<typeof accessToken>;

export const newAccessToken = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  scopes: Type.Array(oneOf(scopes), { minItems: 1, maxItems: scopes.length, uniqueItems: true }),
  expires_in_days: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 3650,
        description: 'Absent: 90 days. Null: the token lasts until it is deleted.',
      }),
    ),
  ),
});
export type NewAccessToken = Static<typeof newAccessToken>;

export const createAccessToken = {
  method: 'POST',
  url: '/api/v1/auth/tokens',
  config: { access: 'session', sessionOnly: true, bodyLimit: 16_384 },
  schema: {
    summary: 'Make a personal access token',
    description:
      'In a session only: a token makes no tokens. The answer is the only place where the token itself is ever shown.',
    tags,
    body: newAccessToken,
    response: {
      201: Type.Object({
        ...accessToken.properties,
        token: Type.String({ description: 'Send it as `Authorization: Bearer …` or `x-api-key`.' }),
      }),
    },
  },
} as const satisfies Endpoint;

export const listAccessTokens = {
  method: 'GET',
  url: '/api/v1/auth/tokens',
  config: { access: 'session' },
  schema: {
    summary: 'Your personal access tokens',
    tags,
    response: { 200: Type.Object({ total: Type.Integer(), items: Type.Array(accessToken) }) },
  },
} as const satisfies Endpoint;

export const deleteAccessToken = {
  method: 'DELETE',
  url: '/api/v1/auth/tokens/:tokenId',
  config: { access: 'session', sessionOnly: true },
  schema: {
    summary: 'Delete a personal access token',
    description: 'In a session only. `POST /api/v1/auth/logout` deletes the token that the request carries.',
    tags,
    params: Type.Object({ tokenId: Type.String({ minLength: 1, maxLength: 64 }) }),
    response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
  },
} as const satisfies Endpoint;
