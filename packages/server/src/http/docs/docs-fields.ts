import type { Schema } from './openapi.ts';

/** One line of a table of fields. */
export interface Field {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** Deeper structures are in the OpenAPI document. */
const maxDepth = 5;

/** Returns the fields of a schema. Nested fields have dotted names, items of a list have `[]`. */
export function fieldsOf(schema: Schema, prefix = '', depth = 0): Field[] {
  if (depth > maxDepth) return [];
  const { properties, items, required } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    required?: readonly string[];
  };
  if (items) return fieldsOf(items, `${prefix}[]`, depth + 1);
  return Object.entries(properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const line = {
      name: path,
      type: typeText(field),
      required: required?.includes(name) ?? false,
      description: String(field.description ?? ''),
    };
    return [line, ...fieldsOf(field, path, depth + 1)];
  });
}

/** `string, 1 to 64 characters`; `one of a, b`; `list of integer`; `string or null`. */
export function typeText(schema: Schema): string {
  const { anyOf, oneOf, items } = schema as { anyOf?: Schema[]; oneOf?: Schema[]; items?: Schema };
  const words = wordsOf(schema);
  if (words) return words.length === 1 ? words.join('') : `one of ${words.join(', ')}`;
  const branches = anyOf ?? oneOf;
  if (branches) return unionText(branches);
  const types = [schema.type ?? 'any'].flat().map(String);
  const names = types.map((type) =>
    type === 'array' && items ? `list of ${typeText(items)}` : plainName(type),
  );
  return [names.join(' or '), ...limitsOf(schema)].join(', ');
}

function unionText(branches: readonly Schema[]): string {
  const words = branches.map(wordsOf);
  if (words.every((list) => list !== undefined)) return `one of ${words.flat().join(', ')}`;
  return branches.map(typeText).join(' or ');
}

function wordsOf(schema: Schema): string[] | undefined {
  if ('const' in schema) return [JSON.stringify(schema.const)];
  return Array.isArray(schema.enum) ? schema.enum.map((word) => JSON.stringify(word)) : undefined;
}

function plainName(type: string): string {
  return type === 'array' ? 'list' : type;
}

function limitsOf(schema: Schema): string[] {
  return [
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minimum, schema.maximum, ''),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean);
}

function range(min: unknown, max: unknown, unit: string): string {
  if (min === undefined && max === undefined) return '';
  if (min === undefined) return `at most ${figure(max)}${unit}`;
  return max === undefined ? `at least ${figure(min)}${unit}` : `${figure(min)} to ${figure(max)}${unit}`;
}

function figure(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en') : String(value);
}
