import { type RefObject, useEffect, useRef } from 'react';
import { offersCommand } from '../command-hint.tsx';
import { useShortcuts } from '../use-shortcuts.ts';

const opener = '[data-opens-row]:not(:disabled)';
const chooser = '[data-chooses-row]';

/**
 * j and k lead through the rows of the page, in the order in which they stand; x chooses the row that has the focus. The focus goes
 * to the control that opens the row: Enter does what a click does there, and `.` shows its command. A row that nothing opens has
 * the focus itself.
 */
export function useRowKeys(): void {
  const last = useLastRow();
  const go = (step: 1 | -1) => {
    const rows = shownRows();
    const at = rows.findIndex(({ dataset }) => dataset.row === last.current);
    const row = at < 0 ? firstInWindow(rows) : (rows[at + step] ?? rows[at]);
    if (row) focusedPart(row).focus();
  };
  // With Shift, x chooses all rows from the last chosen one, where a list offers that.
  useShortcuts({ j: () => go(1), k: () => go(-1), x: choose, X: choose });
}

/** The key of the row that has the focus; null when no row has it. */
export function focusedRow(): string | null {
  return rowOf(document.activeElement)?.dataset.row ?? null;
}

/** Returns which keys of lists have an effect on the page at present. */
export function rowKeysOfPage(): Record<'move' | 'open' | 'choose' | 'command', boolean> {
  const rows = shownRows();
  const has = (control: string) => rows.some((row) => row.querySelector(control) !== null);
  const command = rows.some((row) => focusedPart(row).matches(offersCommand));
  return { move: rows.length > 0, open: has(opener), choose: has(chooser), command };
}

/** Returns the part of a row that gets the focus. */
function focusedPart(row: HTMLElement): HTMLElement {
  return row.querySelector<HTMLElement>(opener) ?? row;
}

/** The row that had the focus last, so that the keys go on there after a panel or a dialog. */
function useLastRow(): RefObject<string | null> {
  const last = useRef<string | null>(null);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      last.current = rowOf(target)?.dataset.row ?? last.current;
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, []);
  return last;
}

function rowOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('main [data-row]') : null;
}

function shownRows(): HTMLElement[] {
  const rows = document.querySelectorAll<HTMLElement>('main [data-row]');
  return [...rows].filter((row) => row.checkVisibility());
}

/** A long list has rows in the page that stand above the window. */
function firstInWindow(rows: readonly HTMLElement[]): HTMLElement | undefined {
  return rows.find((row) => row.getBoundingClientRect().top >= 0) ?? rows[0];
}

function choose({ shiftKey }: KeyboardEvent): void {
  const control = rowOf(document.activeElement)?.querySelector(chooser);
  control?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }));
}
