import { Type } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import { envelope } from '../envelope.ts';

export const dispatchLoginInput = Type.Object({
  username: Type.String({
    maxLength: 320,
    description: 'The e-mail address of the account, or `admin` for the bootstrap administrator.',
  }),
  password: Type.String({ maxLength: 1024 }),
});

export const dispatchLogin = {
  method: 'POST',
  url: '/api/auth/login',
  config: { access: 'public', csrf: 'origin', bodyLimit: 16_384 },
  schema: {
    summary: 'Get a bearer token',
    tags: ['Login'],
    body: dispatchLoginInput,
    response: {
      200: envelope(
        Type.Object({
          token: Type.String(),
          user: Type.Object({ username: Type.String() }),
          expiresIn: Type.Integer({ description: 'Seconds until the token expires.' }),
        }),
      ),
    },
  },
} as const satisfies Endpoint;
