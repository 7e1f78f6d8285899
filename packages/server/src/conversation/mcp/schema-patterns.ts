import { isRecord } from '@switchyard/contract/is-record';

/**
 * A schema without regular expressions. They would be run in this process over texts that a model was tricked into writing, and
 * one slow expression would block every user. The server checks its arguments itself, and the model still reads what is expected.
 */
export function withoutPatterns(schema: Record<string, unknown>): Record<string, unknown> {
  return withoutPatternsIn(schema) as Record<string, unknown>;
}

/** Words of JSON Schema below which keys are names that the server has chosen. */
const named = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
/** Words whose values are not schemas. */
const plain = new Set(['enum', 'const', 'default', 'examples']);
/** They restrict the properties that match no pattern. Without patterns that would be all, so they are dropped too. */
const besideMatches = new Set(['additionalProperties', 'unevaluatedProperties']);

function withoutPatternsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatternsIn);
  if (!isRecord(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (key === 'pattern' || key === 'patternProperties') continue;
    if (besideMatches.has(key) && 'patternProperties' in value) continue;
    kept.push([key, keptOf(key, item)]);
  }
  if (typeof value.pattern === 'string') kept.push(['description', describedBy(value.pattern, value)]);
  return Object.fromEntries(kept);
}

function keptOf(key: string, item: unknown): unknown {
  if (plain.has(key)) return item;
  if (!named.has(key) || !isRecord(item)) return withoutPatternsIn(item);
  return Object.fromEntries(Object.entries(item).map(([name, inner]) => [name, withoutPatternsIn(inner)]));
}

function describedBy(pattern: string, { description }: Record<string, unknown>): string {
  const wanted = `Matches ${pattern}`;
  return typeof description === 'string' ? `${description} (${wanted})` : wanted;
}
