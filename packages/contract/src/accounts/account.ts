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

export const environmentColors = ['grey', 'blue', 'green', 'amber', 'red', 'violet'] as const;

const environment = Type.Object(
  { name: Type.String(), color: oneOf(environmentColors) },
  {
    description: 'What the operator calls this gateway, for a badge on every page. Null: there is no badge.',
  },
);
export type Environment = Static<typeof environment>;

/** The facts that a page needs before it shows anything. */
export const signedInAccount = Type.Object({
  ...account.properties,
  environment: nullable(environment),
  quiet: Type.Optional(
    Type.Literal(true, {
      description: 'The gateway was restored from a backup and works on nothing until `switchyard resume`.',
    }),
  ),
});
export type SignedInAccount = Static<typeof signedInAccount>;

/** Longer input is refused before anything is computed from it. */
export const emailInput = Type.String({ maxLength: 320 });
export const currentPassword = Type.String({ maxLength: 1024 });
export const newPassword = Type.String({
  minLength: 8,
  maxLength: 1024,
  description: 'At least 8 characters, at most 1,024 bytes, and not on the list of common passwords.',
});
