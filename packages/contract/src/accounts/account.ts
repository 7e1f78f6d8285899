import { type Static, Type } from 'typebox';
import { nullable, oneOf } from '../shapes.ts';

export const roles = ['admin', 'user'] as const;
export type Role = (typeof roles)[number];

export const roleSchema = oneOf(roles);

/** The account that is signed in, as its session shows it. */
export const account = Type.Object({
  id: Type.String(),
  email: Type.String(),
  system_role: roleSchema,
  needs_setup: Type.Boolean({ description: 'The password was made by somebody else and should be changed.' }),
  oauth_provider: nullable(Type.String()),
});
export type Account = Static<typeof account>;

/** Longer input is refused before anything is computed from it. */
export const emailInput = Type.String({ maxLength: 320 });
export const currentPassword = Type.String({ maxLength: 1024 });
export const newPassword = Type.String({
  minLength: 8,
  maxLength: 1024,
  description: 'At least 8 characters, at most 1,024 bytes, and not on the list of common passwords.',
});
