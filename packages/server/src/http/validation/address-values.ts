import { isRecord } from '@switchyard/contract/is-record';

interface Named {
  type?: unknown;
  anyOf?: readonly Named[];
  items?: Named;
  properties?: Record<string, Named>;
}

/**
 * Converts the texts of a query, a path or of headers to the types that their schema names, in place. A text that
 * cannot be converted stays a text, which the schema then refuses.
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

/** Returns the value of the first alternative that converts the text. */
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

/** Accepts plain decimal notation: no spaces, no exponent, no hexadecimal, no name of a number. */
function numberIn(text: string, notation: RegExp): number | undefined {
  if (!notation.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number + 0 : undefined; // -0 becomes 0
}
