import { isRecord } from '../lib/is-record.ts';
import { nearest } from '../lib/nearest.ts';

/** Lists of sections in the configuration, or maps from their names: models, kinds of sub-agents, channels. */

export type Section = Record<string, unknown>;

/** What a key of an entry must be, in the words of the fault. */
export class Refusal {
  readonly rule: string;

  constructor(rule: string) {
    this.rule = rule;
  }
}

export type Reader<Value> = (value: unknown) => NonNullable<Value> | Refusal;

/** Returns each entry with its place. The entries of a map get their key as `name`. */
export function entriesOf(data: unknown, what: string): [place: string, entry: unknown][] {
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
export function section(place: string, entry: unknown, readers: Record<string, unknown>): Section {
  const known = Object.keys(readers);
  if (!isRecord(entry)) throw new RangeError(`${place} must hold keys: ${known.join(', ')}`);
  for (const key of Object.keys(entry)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    const hint = meant === undefined ? `known here: ${known.join(', ')}` : `did you mean ${meant}?`;
    throw new RangeError(`${place} has the unknown key "${key}"; ${hint}`);
  }
  return entry;
}

/**
 * Returns a reader for the keys of an entry. It returns null for a key that is absent or empty, and throws a RangeError
 * that says which key is wrong.
 */
export function readerOf<Entry>(
  readers: { [Key in keyof Entry]: Reader<Entry[Key]> },
  { place, entry }: { place: string; entry: Section },
): <Key extends keyof Entry & string>(key: Key) => NonNullable<Entry[Key]> | null {
  return (key) => {
    const given = entry[key];
    if (given === undefined || given === null || given === '') return null;
    const value = readers[key](given);
    if (value instanceof Refusal) throw new RangeError(`${place}.${key} ${value.rule}`);
    return value;
  };
}

export function text(pattern: RegExp, rule: string): Reader<string> {
  return (value) => (typeof value === 'string' && pattern.test(value) ? value : new Refusal(rule));
}

export function texts(pattern: RegExp, rule: string): Reader<readonly string[]> {
  return (value) => {
    const fits =
      Array.isArray(value) && value.every((item) => typeof item === 'string' && pattern.test(item));
    return fits ? (value as string[]) : new Refusal(rule);
  };
}

/** A value from `${NAME}` arrives as text. */
export function flag(value: unknown): boolean | Refusal {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  return new Refusal('must be true or false');
}

export function number(limits: { minimum: number; maximum?: number; isWhole?: boolean }): Reader<number> {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER, isWhole = false } = limits;
  const upTo = limits.maximum === undefined ? 'at least' : `from ${minimum} to`;
  const rule = `must be a ${isWhole ? 'whole ' : ''}number, ${upTo} ${limits.maximum ?? minimum}`;
  return (value) => {
    const given = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    const fits = typeof given === 'number' && given >= minimum && given <= maximum;
    return fits && (!isWhole || Number.isInteger(given)) ? given : new Refusal(rule);
  };
}
