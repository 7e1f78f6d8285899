import { type Static, Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { nullable } from '../shapes.ts';
import { account, currentPassword, emailInput, newPassword, signedInAccount } from './account.ts';

const tags = ['Accounts'];
const done = Type.Object({ message: Type.String() });
const rememberMe = Type.Boolean({
  description: 'False makes cookies that end with the browser; the session itself lasts as long either way.',
});

export const loginInput = Type.Object({
  username: Type.String({
    maxLength: 320,
    description: 'The e-mail address of the account, or `admin` for the bootstrap administrator.',
  }),
  password: Type.String({ maxLength: 1024 }),
  remember_me: Type.Optional(Type.Unsafe<boolean | string>({ enum: [true, false, 'true', 'false'] })),
  grant_type: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  client_secret: Type.Optional(Type.String()),
});
export type LoginInput = Static<typeof loginInput>;

export const newAccount = Type.Object({
  email: emailInput,
  password: newPassword,
  remember_me: Type.Optional(rememberMe),
});
export type NewAccount = Static<typeof newAccount>;

export const login = {
  method: 'POST',
  url: '/api/v1/auth/login/local',
  config: { access: 'public', csrf: 'origin', bodyLimit: 16_384 },
  schema: {
    summary: 'Sign in with e-mail and password',
    description:
      'Sets the cookies `access_token` and `csrf_token`. The fields of an OAuth2 password form are accepted and not used.',
    tags,
    consumes: ['application/x-www-form-urlencoded', 'application/json'],
    body: loginInput,
    response: { 200: Type.Object({ expires_in: Type.Integer(), needs_setup: Type.Boolean() }) },
  },
} as const satisfies Endpoint;

export const register = {
  method: 'POST',
  url: '/api/v1/auth/register',
  config: { access: 'public', csrf: 'origin', bodyLimit: 16_384 },
  schema: {
    summary: 'Make an account and sign in',
    tags,
    body: newAccount,
    response: { 201: account },
  },
} as const satisfies Endpoint;

export const logout = {
  method: 'POST',
  url: '/api/v1/auth/logout',
  config: { access: 'public', csrf: 'origin', bodyLimit: 16_384 },
  schema: {
    summary: 'End the session',
    description:
      'Revokes the session that the request carries, or deletes its personal access token. Works without either.',
    tags,
    response: { 200: done },
  },
} as const satisfies Endpoint;

export const readMe = {
  method: 'GET',
  url: '/api/v1/auth/me',
  config: { access: 'session' },
  schema: { summary: 'The signed-in account', tags, response: { 200: signedInAccount } },
} as const satisfies Endpoint;

export const readSetupStatus = {
  method: 'GET',
  url: '/api/v1/auth/setup-status',
  config: { access: 'public' },
  schema: {
    summary: 'Whether the first administrator is still to be made',
    tags,
    response: {
      200: Type.Object({
        needs_setup: Type.Boolean({ description: 'No administrator exists.' }),
        registration_enabled: Type.Boolean(),
        foreign_session: Type.Boolean({
          description:
            'The request came with the session cookie of another gateway on this host. Signing in here replaces it, so it ends there.',
        }),
      }),
    },
  },
} as const satisfies Endpoint;

export const listAuthProviders = {
  method: 'GET',
  url: '/api/v1/auth/providers',
  config: { access: 'public' },
  schema: {
    summary: 'Other services that an account can sign in with',
    description: 'Empty: accounts sign in with their password.',
    tags,
    response: {
      200: Type.Object({
        providers: Type.Array(
          Type.Object({ id: Type.String(), display_name: Type.String(), type: Type.Literal('oidc') }),
        ),
      }),
    },
  },
} as const satisfies Endpoint;

export const initialize = {
  method: 'POST',
  url: '/api/v1/auth/initialize',
  config: { access: 'public', csrf: 'origin', bodyLimit: 16_384 },
  schema: {
    summary: 'Make the first administrator and sign in',
    description: 'Answers 409 once an administrator exists.',
    tags,
    body: newAccount,
    response: { 201: account },
  },
} as const satisfies Endpoint;

export const changePassword = {
  method: 'POST',
  url: '/api/v1/auth/change-password',
  config: { access: 'session', sessionOnly: true, bodyLimit: 16_384 },
  schema: {
    summary: 'Change your password',
    description: 'Ends every other session of the account. `new_email` changes the e-mail address as well.',
    tags,
    body: Type.Object({
      current_password: currentPassword,
      new_password: newPassword,
      new_email: Type.Optional(nullable(emailInput)),
    }),
    response: { 200: done },
  },
} as const satisfies Endpoint;

export const changeEmail = {
  method: 'POST',
  url: '/api/v1/auth/change-email',
  config: { access: 'session', sessionOnly: true, bodyLimit: 16_384 },
  schema: {
    summary: 'Change your e-mail address',
    tags,
    body: Type.Object({ current_password: currentPassword, new_email: emailInput }),
    response: { 200: account },
  },
} as const satisfies Endpoint;
