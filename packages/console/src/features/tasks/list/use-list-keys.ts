import { useEffect, useRef, useState } from 'react';
import { isTyping } from '../../../kit/parts/typing.ts';
import { nextRow } from './selection.ts';

interface ListKeysOptions {
  keys: readonly string[];
  onOpen: (key: string) => void;
  onToggle: (key: string) => void;
}

const steps: Partial<Record<string, 1 | -1>> = { j: 1, k: -1 };

/** j and k move from row to row, x chooses, Enter opens. Returns the row where the keyboard is. */
export function useListKeys(options: ListKeysOptions): [string | null, (key: string | null) => void] {
  const [current, setCurrent] = useState<string | null>(null);
  const latest = useRef({ ...options, current });
  useEffect(() => {
    latest.current = { ...options, current };
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const step = steps[event.key];
      const { keys, onOpen, onToggle, current: row } = latest.current;
      if (step !== undefined) setCurrent(nextRow(keys, row, step));
      else if (row !== null && event.key === 'x') onToggle(row);
      // Enter on a control belongs to the control.
      else if (row !== null && event.key === 'Enter' && event.target === document.body) onOpen(row);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return [current, setCurrent];
}
