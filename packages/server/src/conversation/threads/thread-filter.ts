import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import type { ThreadRow } from '../tables.ts';

/** A condition that a thread must fulfil. Values are JSON text, as in the index of the metadata. */
export type Condition =
  | { kind: 'metadata'; key: string; value: string }
  | { kind: 'status'; status: ThreadRow['status'] };

/** A part of an object in the metadata: a value at a path, or an item of the list there. Values are JSON text. */
export interface MetadataPart {
  path: string[];
  holds: 'value' | 'item' | 'object' | 'list';
  /** Empty where any object or list will do. */
  value: string;
}

export interface ThreadFilter {
  conditions: Condition[];
  /** The entries that objects and lists in the metadata must contain. No index has them. */
  parts: MetadataPart[];
  /** Values on the top level of the latest state. */
  values: { key: string; value: unknown }[];
  ids: string[] | null;
  /** Part of the title; null for any title. */
  title: string | null;
}

/** By `pinned`, threads of the same kind are ordered by the time of their last change. */
export type SortColumn = 'thread_id' | 'status' | 'created_at' | 'updated_at' | 'state_updated_at' | 'pinned';

export interface ThreadOrder {
  sortBy: SortColumn;
  order: 'asc' | 'desc';
}

/** The columns that make an order unambiguous; each list is the end of an index. */
export const orderColumns: Record<SortColumn, SortColumn[]> = {
  thread_id: ['thread_id'],
  status: ['status', 'updated_at', 'thread_id'],
  created_at: ['created_at', 'thread_id'],
  updated_at: ['updated_at', 'thread_id'],
  state_updated_at: ['state_updated_at', 'thread_id'],
  pinned: ['pinned', 'updated_at', 'thread_id'],
};

/** More parts would make one statement too large. */
const maxParts = 100;
const keyPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** Takes apart what an object or a list in the metadata must contain, as `@>` of Postgres understands it. */
export function metadataParts(key: string, wanted: object): MetadataPart[] {
  const parts = [...partsOf([key], wanted)];
  if (parts.length > maxParts) throw refused(key, `an object to search for has at most ${maxParts} values`);
  return parts;
}

function* partsOf(path: string[], wanted: unknown): Generator<MetadataPart> {
  const [key = ''] = path;
  if (Array.isArray(wanted)) {
    yield { path, holds: 'list', value: '' };
    for (const item of wanted) {
      if (typeof item === 'object' && item !== null)
        throw refused(key, 'a list to search for holds texts, numbers, true, false and null');
      yield { path, holds: 'item', value: JSON.stringify(item) };
    }
    return;
  }
  if (!isRecord(wanted)) {
    yield { path, holds: 'value', value: JSON.stringify(wanted) };
    return;
  }
  yield { path, holds: 'object', value: '' };
  for (const [name, value] of Object.entries(wanted)) {
    if (!keyPattern.test(name)) throw refused(key, 'keys to search for are letters, digits, _ and -');
    yield* partsOf([...path, name], value);
  }
}

function refused(key: string, text: string): AppError {
  const message = `Value error, ${text}`;
  return new AppError('validation_failed', {
    faults: [{ in: 'body', path: ['metadata', key], type: 'value_error', message }],
  });
}
