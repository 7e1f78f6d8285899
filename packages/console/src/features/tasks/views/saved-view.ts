import { readFilter, searchOf } from '../list/task-filter.ts';

/** A filter of the list under a name. */
export interface SavedView {
  name: string;
  /** The filter as the query of an address. */
  search: string;
}

/** Agents and programs of the user can write into the store as well, so what is there is read as an address is. */
export function viewIn(name: string, value: Record<string, unknown>): SavedView[] {
  const { search } = value;
  return typeof search === 'string' ? [{ name, search: searchOf(readFilter(search)) }] : [];
}
