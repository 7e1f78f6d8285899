import type { SchemaError } from './schema-error.ts';

/**
 * A value that fits no branch of a union is reported once for every branch and once for the union. This keeps the
 * helpful faults: those of the one branch that was meant, or one fault that names the alternatives.
 */
export function foldUnions(errors: readonly SchemaError[]): SchemaError[] {
  const union = outermostUnion(errors);
  if (union === undefined) return [...errors];
  const inside = errors.filter((error) => isBelow(error, union.schemaPath));
  const others = errors.filter((error) => error !== union && !inside.includes(error));
  return [...foldUnions(others), ...foldUnion(union, inside)];
}

function outermostUnion(errors: readonly SchemaError[]): SchemaError | undefined {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  return unions.sort((a, b) => a.schemaPath.length - b.schemaPath.length)[0];
}

function foldUnion(union: SchemaError, inside: readonly SchemaError[]): SchemaError[] {
  const branches = (union.schema as SchemaError['parentSchema'][])
    .map((schema, index) => ({
      schema: schema ?? {},
      errors: inside.filter((error) => isBelow(error, `${union.schemaPath}/${index}`)),
    }))
    .filter(({ schema }) => schema.type !== 'null');
  const words = branches.map(({ schema }) => wordsOf(schema));
  if (words.every((list) => list !== undefined)) return [{ ...union, keyword: 'enum', schema: words.flat() }];
  const tag = sharedTag(branches);
  if (tag) return [tag];
  const meant =
    branches.length === 1 ? branches : branches.filter(({ errors }) => !errors.some(isMismatch(union)));
  const [best] = meant.sort((a, b) => a.errors.length - b.errors.length);
  if (best) return foldUnions(best.errors);
  return [
    { ...union, keyword: 'type', schema: branches.map(({ schema }) => schema.type ?? 'another value') },
  ];
}

/** Returns the fixed values that a branch allows, if it allows only fixed values. */
function wordsOf(schema: NonNullable<SchemaError['parentSchema']>): unknown[] | undefined {
  if ('const' in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Every branch wants a different word in the same field: that field is the tag, and none of its words was sent. */
function sharedTag(branches: readonly { errors: readonly SchemaError[] }[]): SchemaError | undefined {
  const tags = branches.map(({ errors }) => errors.find(({ keyword }) => keyword === 'const'));
  const [first] = tags;
  if (first === undefined || !tags.every((tag) => tag?.instancePath === first.instancePath)) return undefined;
  return { ...first, keyword: 'enum', schema: tags.map((tag) => tag?.schema) };
}

/** The value is of a different type than the branch, or carries another tag: the branch was not meant. */
function isMismatch(union: SchemaError): (error: SchemaError) => boolean {
  return ({ keyword, instancePath }) =>
    keyword === 'const' ||
    (instancePath === union.instancePath && (keyword === 'type' || keyword === 'enum'));
}

function isBelow(error: SchemaError, schemaPath: string): boolean {
  return error.schemaPath.startsWith(`${schemaPath}/`);
}
