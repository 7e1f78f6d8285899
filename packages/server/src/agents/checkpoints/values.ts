import { createHash, hash } from 'node:crypto';
import type { Json } from '../../lib/json.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';

/**
 * The place of a value: the hash of the stored value, or one hash for each element of a list of objects. Histories of
 * messages are lists that grow by an element a step, so a step stores only what it adds. Nothing is stored for an empty
 * list.
 */
export type Place = string | string[];

export interface StoredValue {
  hash: string;
  type: 'json' | 'bytes';
  data: Uint8Array;
}

/** A value before it is stored. JSON is still text here. */
export interface NewValue extends Omit<StoredValue, 'data'> {
  data: Uint8Array | string;
}

export function bytesOf(data: NewValue['data']): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data) : data;
}

/** A longer list is stored as one value, because its places would take more room than they save. */
const maxSplitListLength = 2_000;

export function storedForm(value: unknown): { place: Place; parts: NewValue[] } {
  if (!isListOfObjects(value)) {
    const part = storePart(value);
    return { place: part.hash, parts: [part] };
  }
  const parts = value.map(storePart);
  return { place: parts.map(({ hash }) => hash), parts };
}

/** `part` returns the value that a hash stands for. */
export function valueAt(place: Place, part: (hash: string) => unknown): unknown {
  return typeof place === 'string' ? part(place) : place.map(part);
}

function isListOfObjects(value: unknown): value is object[] {
  return (
    Array.isArray(value) &&
    value.length <= maxSplitListLength &&
    value.every((element) => typeof element === 'object' && element !== null && !Array.isArray(element))
  );
}

function storePart(value: unknown): NewValue {
  if (value instanceof Uint8Array) return { hash: hashOfBytes(value), type: 'bytes', data: value };
  const json = JSON.stringify(encode(value));
  return {
    hash: hash('sha256', `json${json}`, 'base64url').slice(0, hashLength),
    type: 'json',
    data: json,
  };
}

export function loadPart({ type, data }: Omit<StoredValue, 'hash'>): unknown {
  // The driver's buffer is a view into a larger one.
  if (type === 'bytes') return new Uint8Array(data);
  return decode(JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()) as Json);
}

/** 144 bits are enough, because the hash only distinguishes values of one thread. */
const hashLength = 24;

function hashOfBytes(data: Uint8Array): string {
  return createHash('sha256').update('bytes').update(data).digest('base64url').slice(0, hashLength);
}
