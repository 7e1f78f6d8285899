import { type Static, type TSchema, Type } from 'typebox';

/** The schema's type or null, written so that validator, serialiser and OpenAPI 3.1 all read it directly. */
export function nullable<Schema extends TSchema & { type: string }>(schema: Schema) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'] });
}

/** One of a fixed list of words. */
export function oneOf<const Words extends readonly string[]>(
  words: Words,
  options: { description?: string } = {},
) {
  return Object.assign(Type.Unsafe<Words[number]>({ enum: [...words], ...options }), {
    type: 'string' as const,
  });
}

export const isoTime = Type.String({ description: 'ISO 8601, UTC, with milliseconds.' });

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: 'Rows to skip.' }),
  ),
};
