import { type Static, type TNumberOptions, type TSchema, Type } from 'typebox';

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

/** A number in a query: an integer within bounds that a database and a list can handle. */
export function wholeNumber(bounds: TNumberOptions & { minimum: number; maximum: number }) {
  return Type.Integer(bounds);
}

/** The maximum of an ordinary integer column. */
export const maxInteger = 2_147_483_647;

/** The number of a stored version; the first is 1. */
export function versionNumber(description?: string) {
  return wholeNumber({ minimum: 1, maximum: maxInteger, ...(description !== undefined && { description }) });
}

/** Rows to skip. */
export const pageOffset = Type.Optional(
  wholeNumber({ minimum: 0, maximum: maxInteger, default: 0, description: 'Rows to skip.' }),
);

/** Refuses what the schema does not know. */
export const closed = { additionalProperties: false } as const;

export const pageQuery = {
  limit: Type.Optional(wholeNumber({ minimum: 1, maximum: 200, default: 50 })),
  offset: pageOffset,
};
