import { isRecord } from '@switchyard/contract/is-record';
import { type Static, type TObject, type TUnsafe, Type } from 'typebox';
import { Value } from 'typebox/value';
import { nearest } from '../lib/nearest.ts';

/** Lists of sections in the configuration, or maps from their names: models, kinds of sub-agents, channels. */

export type EntrySection = Record<string, unknown>;

/** The keywords of a key of an entry: a JSON Schema, with marks (`x-…`) for the code that reads it. */
interface Key {
  type: string | readonly string[];
  properties?: Record<string, Key>;
  maxItems?: number;
  maxProperties?: number;
  /** The value of a key that is absent. */
  default: unknown;
  /** A list of texts takes numbers too: YAML reads the ids of senders as numbers. */
  'x-takes-numbers'?: boolean;
  /** The condition for the value, in the words of the fault. A fault never quotes the value. */
  'x-must': string;
  /** Set for a key that must be there: the end of the fault's sentence. */
  'x-missing'?: string;
}

interface Entries<Entry extends TObject> {
  /** The name of the entries, in the plural. */
  what: string;
  maxEntries: number;
  schema: Entry;
  /** Rules between the keys of an entry. */
  check?: (entry: Static<Entry>, written: { place: string; section: EntrySection }) => void;
}

/** Reads a list or a map of entries. Throws a RangeError that says which entry and key, and never a value. */
export function readEntries<Entry extends TObject<{ name: TUnsafe<string> }>>(
  data: unknown,
  { what, maxEntries, schema, check }: Entries<Entry>,
): Static<Entry>[] {
  const written = entriesOf(data, what);
  if (written.length > maxEntries)
    throw new RangeError(`has ${written.length} entries; ${maxEntries} are the limit`);
  const keys = schema.properties as unknown as Record<string, Key>;
  const entries = written.map(([place, given]) => {
    const section = sectionOf(place, given, Object.keys(keys));
    const read = Object.entries(keys).map(([name, key]) => [
      name,
      readKey(key, { place: `${place}.${name}`, given: section[name] }),
    ]);
    const entry = Object.fromEntries(read) as Static<Entry>;
    check?.(entry, { place, section });
    return entry;
  });
  const names = entries.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RangeError(`has two ${what} of the name "${twice}"`);
  return entries;
}

/** Returns each entry with its place. The entries of a map get their key as `name`. */
function entriesOf(data: unknown, what: string): [place: string, entry: unknown][] {
  if (Array.isArray(data)) return data.map((entry: unknown, index) => [`[${index}]`, entry]);
  if (!isRecord(data)) {
    throw new RangeError(`must be a list of ${what}, or a map from their names to their keys`);
  }
  return Object.entries(data).map(([name, entry]) => {
    const keys = entry ?? {};
    return [`.${name}`, isRecord(keys) ? { name, ...keys } : keys];
  });
}

/** Returns the entry if it holds only known keys, and throws otherwise. */
function sectionOf(place: string, entry: unknown, known: readonly string[]): EntrySection {
  if (!isRecord(entry)) throw new RangeError(`${place} must hold keys: ${known.join(', ')}`);
  for (const key of Object.keys(entry)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    const hint = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean ${meant}?`;
    throw new RangeError(`${place} has the unknown key "${key}"; ${hint}`);
  }
  return entry;
}

function readKey(key: Key, { place, given }: { place: string; given: unknown }): unknown {
  if (given === undefined || given === null || given === '') {
    if (key['x-missing'] !== undefined) throw new RangeError(`${place} is missing; ${key['x-missing']}`);
    return key.default;
  }
  const { maxItems, maxProperties, ...rule } = key;
  const max = maxItems ?? maxProperties ?? Number.POSITIVE_INFINITY;
  if (isRecord(given) || Array.isArray(given)) {
    if (Object.keys(given).length > max) throw new RangeError(`${place} has more than ${max} entries`);
  }
  const value = converted(key, given);
  if (!Value.Check(rule, value)) throw new RangeError(`${place} ${key['x-must']}`);
  return value;
}

/** A value from `${NAME}` arrives as text, so text is read as the number or the truth value that its key wants. */
function converted(key: Key, given: unknown): unknown {
  if (key.type === 'boolean' && (given === 'true' || given === 'false')) return given === 'true';
  if (isNumeric(key) && typeof given === 'string' && given.trim() !== '') return Number(given);
  const { properties } = key;
  if (key['x-takes-numbers'] && Array.isArray(given))
    return given.map((item: unknown) => (typeof item === 'number' ? String(item) : item));
  if (properties === undefined || !isRecord(given)) return given;
  const known = Object.entries(properties).map(([name, inner]) => [
    name,
    given[name] === undefined ? inner.default : converted(inner, given[name]),
  ]);
  return { ...given, ...Object.fromEntries(known) };
}

function isNumeric({ type }: Key): boolean {
  return [type].flat().some((each) => each === 'number' || each === 'integer');
}

/** A key that may be absent, which reads as null. */
function key<Value>(must: string, keywords: object): TUnsafe<Value | null> {
  return Type.Unsafe<Value | null>({ ...keywords, default: null, 'x-must': must });
}

/** The same key, which must not be absent. `why` follows "is missing;" in the fault. */
export function required<Value>(optional: TUnsafe<Value | null>, why: string): TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...optional, 'x-missing': why });
}

/** The same key, which has this value when it is absent. */
export function withDefault<Value>(value: Value, optional: TUnsafe<Value | null>): TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...optional, default: value });
}

export function text(pattern: RegExp, must: string): TUnsafe<string | null> {
  return key(must, { type: 'string', pattern: pattern.source });
}

export function oneOf<const Name extends string>(names: readonly Name[]): TUnsafe<Name | null> {
  return key(`must be one of ${names.join(', ')}`, { type: 'string', enum: names });
}

export function texts(
  pattern: RegExp,
  must: string,
  { maxItems, takesNumbers = false }: { maxItems?: number; takesNumbers?: boolean } = {},
): TUnsafe<readonly string[] | null> {
  const items = { type: 'string', pattern: pattern.source };
  const limit = maxItems === undefined ? {} : { maxItems };
  return key(must, { type: 'array', items, ...limit, 'x-takes-numbers': takesNumbers });
}

/** A map between texts. */
export function textMap(
  { from, to }: { from: RegExp; to: RegExp },
  must: string,
  maxProperties: number,
): TUnsafe<Readonly<Record<string, string>> | null> {
  const propertyNames = { pattern: from.source };
  const additionalProperties = { type: 'string', pattern: to.source };
  return key(must, { type: 'object', propertyNames, additionalProperties, maxProperties });
}

/** Keys that only the receiver of the section understands. */
export function anyKeys(must: string): TUnsafe<Readonly<EntrySection> | null> {
  return key(must, { type: 'object' });
}

/** A section inside an entry. A fault in it is told in the words of `must`, whichever of its keys is wrong. */
export function inner<Value extends object>(
  properties: { [Name in keyof Value]: TUnsafe<Value[Name] | null> },
  must: string,
): TUnsafe<Value | null> {
  const all = Object.keys(properties);
  return key(must, { type: 'object', properties, required: all, additionalProperties: false });
}

/** A number that may be written as null inside a section. */
export function orNull(optional: TUnsafe<number | null>): TUnsafe<number | null> {
  return Type.Unsafe<number | null>({ ...optional, type: ['number', 'null'] });
}

export const flag: TUnsafe<boolean | null> = key('must be true or false', { type: 'boolean' });

export function number(limits: {
  minimum: number;
  maximum?: number;
  isWhole?: boolean;
}): TUnsafe<number | null> {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER, isWhole = false } = limits;
  const upTo = limits.maximum === undefined ? 'at least' : `from ${minimum} to`;
  const must = `must be a ${isWhole ? 'whole ' : ''}number, ${upTo} ${limits.maximum ?? minimum}`;
  return key(must, { type: isWhole ? 'integer' : 'number', minimum, maximum });
}
