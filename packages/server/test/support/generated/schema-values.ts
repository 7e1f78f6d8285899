import { hostileValue } from './hostile-values.ts';
import type { KnownThings } from './known-things.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface JsonSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
}

export interface ValueSource {
  random: SeededRandom;
  things: KnownThings;
  /** Values for fields that a schema cannot describe, by the name of the field. */
  samples: Record<string, readonly unknown[]>;
  /** The share of optional fields that are present, from 0 to 1. */
  density: number;
}

const deepest = 8;

/** A value that the schema usually accepts. */
export function schemaValue(schema: JsonSchema, source: ValueSource, name = '', depth = 0): unknown {
  const { random, samples } = source;
  const own = samples[name];
  if (own && random.chance(0.8)) return random.pick(own);
  if ('const' in schema) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return schemaValue(random.pick(branches), source, name, depth + 1);
  switch (random.pick([schema.type ?? 'any'].flat())) {
    case 'string':
      return textOf(schema, source, name);
    case 'integer':
      return Math.round(numberOf(schema, random));
    case 'number':
      return numberOf(schema, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array':
      return listOf(schema, source, { name, depth });
    case 'object':
      return objectOf(schema, source, depth);
    default:
      return hostileValue(random);
  }
}

function textOf({ pattern, format, minLength }: JsonSchema, source: ValueSource, name: string): string {
  const { random, things } = source;
  if (format === 'date-time') return new Date(random.below(2_000_000_000) * 1_000).toISOString();
  const known = things.named(name, random);
  const candidates = [
    known,
    'a',
    'chat',
    'b-1',
    'two words',
    `whsec_${'A'.repeat(32)}`,
    '/mnt/user-data/x.txt',
  ];
  const fitting = candidates.filter(
    (text): text is string =>
      text !== undefined &&
      text.length >= Number(minLength ?? 0) &&
      (pattern === undefined || new RegExp(pattern, 'u').test(text)),
  );
  if (fitting.length === 0) return 'x'.repeat(Number(minLength ?? 8));
  return known !== undefined && fitting[0] === known && random.chance(0.7) ? known : random.pick(fitting);
}

function numberOf({ minimum = 0, maximum = minimum + 100 }: JsonSchema, random: SeededRandom): number {
  const between = minimum + random.next() * Math.min(maximum - minimum, 50);
  return random.pick([minimum, maximum, between, between]);
}

function listOf(
  { items = {}, minItems = 0 }: JsonSchema,
  source: ValueSource,
  { name, depth }: { name: string; depth: number },
): unknown[] {
  const length = minItems + (depth < deepest ? source.random.below(3) : 0);
  return Array.from({ length }, () => schemaValue(items, source, name.replace(/s$/, ''), depth + 1));
}

function objectOf(schema: JsonSchema, source: ValueSource, depth: number): Record<string, unknown> {
  const { random, things } = source;
  const { properties = {}, required = [], patternProperties, additionalProperties } = schema;
  const entries = Object.entries(properties)
    .filter(([key]) => required.includes(key) || (depth < deepest && random.chance(source.density)))
    .map(([key, inner]) => [key, schemaValue(inner, source, key, depth + 1)] as const);
  const others = [...Object.values(patternProperties ?? {}), additionalProperties].find(
    (inner): inner is JsonSchema => typeof inner === 'object',
  );
  const more =
    others && depth < deepest
      ? Array.from({ length: random.below(3) }, (_, index) => [
          things.named('name', random) ?? `key${index}`,
          schemaValue(others, source, '', depth + 1),
        ])
      : [];
  return Object.fromEntries([...entries, ...more]);
}

/** The value with one place changed: replaced, left out, or with something added. */
export function spoiled(value: unknown, random: SeededRandom): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.2)) return hostileValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return [...value, hostileValue(random)];
    const at = random.below(value.length);
    return value.map((item, index) => (index === at ? spoiled(item, random) : item));
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || random.chance(0.15)) {
    return { ...value, [random.pick(['extra', '', 'id', 'limit', 'a.b'])]: hostileValue(random) };
  }
  const at = random.below(entries.length);
  if (random.chance(0.2)) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([key, item], index) => [key, index === at ? spoiled(item, random) : item]),
  );
}
