import type { JsonSchema } from './json-schema.ts';

/** Returns the schema of some values of a union, each once; both booleans together are just a boolean. */
export function literalsSchema(values: readonly (string | number | boolean)[]): JsonSchema {
  const types = [...new Set(values.map((value) => typeof value))];
  const isBoolean = values.includes(true) && values.includes(false);
  if (isBoolean && types.length === 1) return { type: 'boolean' };
  const type = types.length === 1 ? types[0] : types;
  return values.length === 1 ? { type, const: values[0] } : { type, enum: [...values] };
}
