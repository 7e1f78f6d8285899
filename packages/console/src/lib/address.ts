import { useCallback } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { changeQuery, type QueryChanges } from './query-string.ts';

/** A step that the back button should undo is pushed; a filter that is being typed replaces the entry. */
interface Step {
  push?: boolean;
}

/**
 * One value of the query of the address: a filter, an open panel, a position. Null is its absence. Setting it keeps the
 * rest of the address.
 */
export function useQueryState(name: string): [string | null, (value: string | null, step?: Step) => void] {
  const value = new URLSearchParams(useSearch()).get(name);
  const set = useCallback((next: string | null, step?: Step) => setQuery({ [name]: next }, step), [name]);
  return [value, set];
}

/** One part of a path as it was before it was written into an address: of an instance, `127.0.0.1:8188`. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an address that a user has typed may hold a broken escape
  }
}

/** Sets several values of the query in one step. */
export function setQuery(changes: QueryChanges, { push = false }: Step = {}): void {
  const { pathname, search } = window.location;
  const next = changeQuery(search, changes);
  if (next !== search) navigate(pathname + next, { replace: !push });
}
