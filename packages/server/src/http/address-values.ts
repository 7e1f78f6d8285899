import { isRecord } from '../lib/is-record.ts';

interface Named {
  type?: unknown;
  anyOf?: readonly Named[];
  items?: Named;
  properties?: Record<string, Named>;
}

/**
 * Reads the texts of a query, a path or of headers as the types that their schema names, in place. What cannot be read as
 * its type stays a text, which the schema then refuses.
 */
export function readAddressValues(schema: object, values: unknown): void {
  const { properties = {} } = schema as Named;
  if (!isRecord(values)) return;
  for (const [name, named] of Object.entries(properties)) {
    if (values[name] !== undefined) values[name] = readAs(named, values[name]);
  }
}

function readAs(named: Named, value: unknown): unknown {
  if (named.anyOf) return firstRead(named.anyOf, value);
  if (named.type === 'array') return [value].flat().map((item) => readAs(named.items ?? {}, item));
  if (typeof value !== 'string') return value;
  if (named.type === 'integer') return numberIn(value, /^-?\d+$/) ?? value;
  if (named.type === 'number') return numberIn(value, /^-?\d+(\.\d+)?$/) ?? value;
  if (named.type === 'boolean') return words[value] ?? value;
  return value;
}

/** By the first alternative that reads anything else than the text out of it. */
function firstRead(alternatives: readonly Named[], value: unknown): unknown {
  for (const named of alternatives) {
    const read = readAs(named, value);
    if (read !== value) return read;
  }
  return value;
}

const words: Partial<Record<string, boolean>> = Object.assign(Object.create(null), {
  true: true,
  false: false,
});

/** Plain decimal notation: no spaces, no exponent, no hexadecimal, no name of a number. */
function numberIn(text: string, notation: RegExp): number | undefined {
  if (!notation.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number + 0 : undefined; // -0 is 0
}
