import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { closed, isoTime, pageQuery } from '../shapes.ts';
import { account, emailInput, roleSchema } from './account.ts';

const tags = ['Users'];
const userParams = Type.Object({ userId: Type.String({ minLength: 1, maxLength: 64 }) });

/** An account as administrators see it. */
export const user = Type.Object({
  ...account.properties,
  disabled: Type.Boolean(),
  created_at: isoTime,
});
export type User = Static<typeof user>;

const userWithPassword = Type.Object({
  ...user.properties,
  one_time_password: Type.String({ description: 'Shown only here. The account is asked to change it.' }),
});

export const listUsers = {
  method: 'GET',
  url: '/api/v1/users',
  config: { access: 'admin' },
  schema: {
    summary: 'List accounts',
    description: 'Oldest first.',
    tags,
    querystring: Type.Object(
      {
        ...pageQuery,
        q: Type.Optional(Type.String({ maxLength: 320, description: 'Part of an e-mail address.' })),
      },
      closed,
    ),
    response: { 200: Type.Object({ total: Type.Integer(), items: Type.Array(user) }) },
  },
} as const satisfies Endpoint;

export const createUser = {
  method: 'POST',
  url: '/api/v1/users',
  config: { access: 'admin', sessionOnly: true, bodyLimit: 16_384 },
  schema: {
    summary: 'Make an account with a one-time password',
    description: 'In a session only.',
    tags,
    body: Type.Object({ email: emailInput, system_role: Type.Optional(roleSchema) }),
    response: { 201: userWithPassword },
  },
} as const satisfies Endpoint;

export const updateUser = {
  method: 'PATCH',
  url: '/api/v1/users/:userId',
  config: { access: 'admin', sessionOnly: true, bodyLimit: 16_384 },
  schema: {
    summary: 'Disable or enable an account, or change its role',
    description:
      'In a session only. Disabling ends all sessions of the account. The last enabled administrator stays as it is (409).',
    tags,
    params: userParams,
    body: Type.Object(
      { disabled: Type.Optional(Type.Boolean()), system_role: Type.Optional(roleSchema) },
      { minProperties: 1 },
    ),
    response: { 200: user },
  },
} as const satisfies Endpoint;

export const resetUserPassword = {
  method: 'POST',
  url: '/api/v1/users/:userId/reset-password',
  config: { access: 'admin', sessionOnly: true, bodyLimit: 16_384 },
  schema: {
    summary: 'Give an account a new one-time password',
    description: 'In a session only. Ends all sessions of the account.',
    tags,
    params: userParams,
    response: { 200: userWithPassword },
  },
} as const satisfies Endpoint;

export const deleteUser = {
  method: 'DELETE',
  url: '/api/v1/users/:userId',
  config: { access: 'admin' },
  schema: {
    summary: 'Delete an account',
    description:
      'Ends its sessions and deletes its access tokens. The last enabled administrator stays (409).',
    tags,
    params: userParams,
    response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
  },
} as const satisfies Endpoint;
