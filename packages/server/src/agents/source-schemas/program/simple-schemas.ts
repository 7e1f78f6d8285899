import type * as ts from 'typescript-5';
import type { OpenedSource } from './compiler.ts';
import type { JsonSchema } from './json-schema.ts';

export type Literal = string | number | boolean;

/** Says nothing, so everything fits. */
export const anything: JsonSchema = {};

/** Returns the value of a literal type; undefined for every other type. */
export function literalOf(type: ts.Type, { compiler, checker }: OpenedSource): Literal | undefined {
  if (type.isStringLiteral() || type.isNumberLiteral()) return type.value;
  return type.flags & compiler.TypeFlags.BooleanLiteral ? checker.typeToString(type) === 'true' : undefined;
}

/** Returns the schema of a type that has no parts; null for every other type. */
export function primitiveSchema(type: ts.Type, source: OpenedSource): JsonSchema | null {
  const { TypeFlags } = source.compiler;
  const literal = literalOf(type, source);
  if (literal !== undefined) return literalsSchema([literal]);
  if (type.flags & TypeFlags.StringLike) return { type: 'string' };
  if (type.flags & TypeFlags.NumberLike) return { type: 'number' };
  if (type.flags & TypeFlags.BigIntLike) return { type: 'integer' };
  if (type.flags & TypeFlags.BooleanLike) return { type: 'boolean' };
  if (type.flags & TypeFlags.Null) return { type: 'null' };
  return type.flags & (TypeFlags.Undefined | TypeFlags.Void | TypeFlags.ESSymbolLike) ? anything : null;
}

/** Returns the schema of some values; both booleans together are just a boolean. */
export function literalsSchema(values: readonly Literal[]): JsonSchema {
  const types = [...new Set(values.map((value) => typeof value))];
  if (types.length === 1 && types[0] === 'boolean' && values.length === 2) return { type: 'boolean' };
  const type = types.length === 1 ? types[0] : types;
  return values.length === 1 ? { type, const: values[0] } : { type, enum: [...values] };
}

/** Types that have no more than a name are joined, so that a form sees `["string", "null"]`. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas;
  if (only === undefined || schemas.some((schema) => Object.keys(schema).length === 0)) return anything;
  if (schemas.length === 1) return only;
  const isPlain = schemas.every((each) => typeof each.type === 'string' && Object.keys(each).length === 1);
  return isPlain ? { type: [...new Set(schemas.map(({ type }) => type))] } : { anyOf: [...schemas] };
}

/** Returns how an object of JavaScript or Node looks after JSON. */
export function standardObjectSchema(name: string): JsonSchema {
  if (name === 'Date') return { type: 'string', format: 'date-time' };
  return { type: name === 'String' || name === 'URL' ? 'string' : 'object' };
}
