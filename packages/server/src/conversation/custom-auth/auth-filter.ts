import { isRecord } from '@switchyard/contract/is-record';
import { jsonContains } from '../../lib/json-contains.ts';
import { maxFilterValueBytes } from '../threads/thread-metadata.ts';
import { nonsense } from './thrown.ts';

/** The metadata that a thing must contain, in the form that searches take. */
export type AuthFilter = Record<string, unknown>;

const maxKeys = 20;
const maxKeyLength = 128;
const maxContained = 20;

/** Reads the filter that an `on` handler returned. Null is a filter that narrows nothing. */
export function readFilter(answer: Record<string, unknown>): AuthFilter | null {
  const entries = Object.entries(answer);
  if (entries.length === 0) return null;
  if (entries.length > maxKeys) throw nonsense(`a filter has at most ${maxKeys} keys`);
  return Object.fromEntries(entries.map(([key, wanted]) => [keyOf(key), wantedOf(key, wanted)]));
}

/** Returns whether a thing with these metadata may be seen. */
export function passes(metadata: unknown, filter: AuthFilter): boolean {
  return jsonContains(metadata, filter);
}

/** Joins a search with a filter: both must hold. Null when nothing can meet both. */
export function narrowed(
  asked: Record<string, unknown> | null | undefined,
  filter: AuthFilter,
): Record<string, unknown> | null {
  const wanted = new Map(Object.entries(asked ?? {}));
  for (const [key, value] of Object.entries(filter)) {
    const present = wanted.get(key);
    if (!wanted.has(key)) wanted.set(key, value);
    else if (Array.isArray(present) && Array.isArray(value)) wanted.set(key, [...present, ...value]);
    else if (present !== value) return null;
  }
  return Object.fromEntries(wanted);
}

function keyOf(key: string): string {
  if (key.length <= maxKeyLength) return key;
  throw nonsense(`a key of a filter has at most ${maxKeyLength} characters`);
}

/** A list that contains texts is wanted as a list with those texts. */
function wantedOf(key: string, wanted: unknown): unknown {
  if (isRecord(wanted)) {
    const [operator, ...others] = Object.keys(wanted);
    if (others.length === 0 && operator === '$eq') return textOf(key, wanted.$eq);
    if (others.length === 0 && operator === '$contains') return textsOf(key, wanted.$contains);
  }
  return textOf(key, wanted);
}

/** Several texts have to be there all together. */
function textsOf(key: string, contained: unknown): string[] {
  const texts = Array.isArray(contained) ? contained : [contained];
  if (texts.length > maxContained) throw nonsense(`$contains of '${key}' has at most ${maxContained} texts`);
  return texts.map((text) => textOf(key, text));
}

function textOf(key: string, value: unknown): string {
  if (typeof value === 'string' && Buffer.byteLength(JSON.stringify(value)) <= maxFilterValueBytes)
    return value;
  throw nonsense(
    `the filter of '${key}' must be a text, {"$eq": text} or {"$contains": text or texts}, each of at most ${maxFilterValueBytes} bytes`,
  );
}
