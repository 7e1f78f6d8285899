import { AppError } from '../../lib/app-error.ts';

export type Metadata = Record<string, unknown>;

/** Keys that would name a thread's owner; only the gateway sets the owner. */
const reservedKeys = new Set(['owner_id', 'user_id']);
/** Keys that are never shown, whichever component stored them. */
const secretKeys = new Set(['auth_token']);

const maxMetadataKeys = 100;
const maxMetadataBytes = 65_536;

/** An entry of the search index is a row of a B-tree, and Postgres allows at most 2,700 bytes in one. */
const maxFilterKeyLength = 128;
export const maxFilterValueBytes = 1024;

/** The metadata as a caller may set it. */
export function withoutReserved(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !reservedKeys.has(key)));
}

/** The metadata as callers see it. */
export function publicMetadata(text: string): Metadata {
  const metadata = JSON.parse(text) as Metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !secretKeys.has(key)));
}

/** The top-level keys of the change replace the existing ones; null is a value like any other. */
export function mergedMetadata(text: string, change: Metadata): Metadata {
  return { ...(JSON.parse(text) as Metadata), ...change };
}

/** The key with which pages pin a thread. */
const pinKey = 'deerflow_pinned';

/** A change that pins a thread, or ends that, and nothing else. It says nothing new about the conversation. */
export function isPinning(change: Metadata): boolean {
  const [key, ...others] = Object.keys(change);
  return key === pinKey && others.length === 0 && typeof change[pinKey] === 'boolean';
}

/** As the column of the thread has it. */
export function pinnedIn(metadata: Metadata): '0' | '1' {
  return metadata[pinKey] === true ? '1' : '0';
}

export function metadataText(metadata: Metadata): string {
  const text = JSON.stringify(metadata);
  const keys = Object.keys(metadata).length;
  if (keys > maxMetadataKeys) refuse(`Metadata has ${keys} keys and may have ${maxMetadataKeys}.`);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxMetadataBytes) refuse(`Metadata has ${bytes} bytes and may have ${maxMetadataBytes}.`);
  return text;
}

/**
 * Returns the entries that a search can ask for: one for each top-level key with a single value, as JSON text so that
 * `1`, `"1"` and `true` differ.
 */
export function searchableEntries(metadata: Metadata): { key: string; value: string }[] {
  return Object.entries(metadata).flatMap(([key, value]) => {
    if (typeof value === 'object' && value !== null) return [];
    const text = JSON.stringify(value);
    const fits = key.length <= maxFilterKeyLength && Buffer.byteLength(text) <= maxFilterValueBytes;
    return fits ? [{ key, value: text }] : [];
  });
}

function refuse(message: string): never {
  throw new AppError('validation_failed', {
    faults: [{ in: 'body', path: ['metadata'], type: 'value_error', message: `Value error, ${message}` }],
  });
}
