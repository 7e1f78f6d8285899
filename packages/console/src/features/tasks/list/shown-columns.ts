import { useMemo, useSyncExternalStore } from 'react';
import { storedText } from '../../../lib/stored-text.ts';

/** The columns that a user can show or hide. Name, status and actions always stay. */
export const optionalColumns = ['result', 'instance', 'owner', 'waited', 'ran', 'created'] as const;
export type OptionalColumn = (typeof optionalColumns)[number];

const usual: readonly OptionalColumn[] = ['result', 'instance', 'waited', 'ran', 'created'];
const stored = storedText('switchyard.task-columns');

/** Reads the columns that the browser has kept; words that are not columns, or no longer, are left out. */
export function columnsIn(text: string | null): ReadonlySet<OptionalColumn> {
  if (text === null) return new Set(usual);
  const names = text.split(' ');
  return new Set(optionalColumns.filter((name) => names.includes(name)));
}

/** The columns that this browser shows, and a function that shows or hides one. */
export function useShownColumns() {
  const text = useSyncExternalStore(stored.subscribe, stored.read);
  const shown = useMemo(() => columnsIn(text), [text]);
  const show = (name: OptionalColumn, isShown: boolean) =>
    stored.set(optionalColumns.filter((each) => (each === name ? isShown : shown.has(each))).join(' '));
  return { shown, show };
}
