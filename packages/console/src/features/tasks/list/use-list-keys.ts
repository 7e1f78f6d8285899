import { useState } from 'react';
import { useShortcuts } from '../../../kit/use-shortcuts.ts';
import { nextRow } from './selection.ts';

interface ListKeysOptions {
  keys: readonly string[];
  /** The row whose panel is open; null when none is. */
  opened: string | null;
  /** Null closes the panel. */
  onOpen: (key: string | null) => void;
  onToggle: (key: string) => void;
}

/**
 * j and k move from row to row, x chooses, Enter opens, and `]` opens or closes the panel of the row. Returns the row where the
 * keyboard is.
 */
export function useListKeys(options: ListKeysOptions): [string | null, (key: string | null) => void] {
  const { keys, opened, onOpen, onToggle } = options;
  const [current, setCurrent] = useState<string | null>(null);
  const turnPanel = () => {
    const row = current ?? nextRow(keys, null, 1);
    setCurrent(row);
    onOpen(opened === null ? row : null);
  };
  useShortcuts({
    j: () => setCurrent(nextRow(keys, current, 1)),
    k: () => setCurrent(nextRow(keys, current, -1)),
    x: () => current !== null && onToggle(current),
    // Enter on a control belongs to the control.
    Enter: (event) => current !== null && event.target === document.body && onOpen(current),
    ']': turnPanel,
  });
  return [current, setCurrent];
}
