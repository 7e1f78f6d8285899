import { type RefObject, useEffect, useRef } from 'react';
import { shortcutChoice } from '../lib/shortcut-choice.ts';
import { isTyping } from './parts/typing.ts';

/** The effect of each single key, by `event.key`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const listening = new Set<RefObject<Shortcuts>>();

/** Until then, keys are the second ones of a pair such as `g r`. */
let pairUntilMs = 0;

/** Lets only the shortcuts that take pairs have the next key, if it comes by this time. */
export function awaitSecondKey(untilMs: number): void {
  pairUntilMs = untilMs;
}

/** Returns whether the shortcuts of the page may have a key. */
export function isShortcut(event: KeyboardEvent): boolean {
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  return !isModified && !event.defaultPrevented && !isTyping(event.target) && shortcutChoice.read() !== 'off';
}

/**
 * Listens for single keys while the component is shown. Keys that belong to a text, to a dialog in front of the page or to
 * a control that has used them do nothing here, and none does while the user has switched shortcuts off.
 */
export function useShortcuts(shortcuts: Shortcuts, { takesPairs = false } = {}): void {
  const current = useRef(shortcuts);
  useEffect(() => {
    current.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isShortcut(event) || hasModal()) return;
      if (!takesPairs && event.timeStamp <= pairUntilMs) return;
      current.current[event.key]?.(event);
    };
    listening.add(current);
    window.addEventListener('keydown', onKey);
    return () => {
      listening.delete(current);
      window.removeEventListener('keydown', onKey);
    };
  }, [takesPairs]);
}

/** Returns whether something that is shown listens for a key. */
export function hasShortcut(key: string): boolean {
  return [...listening].some(({ current }) => key in current);
}

/** The rest of the page is inert while a dialog is open in front of it. A list that was closed stays in the page, hidden. */
function hasModal(): boolean {
  const layers = document.querySelectorAll(
    '[role="dialog"][aria-modal="true"], [role="menu"], [role="listbox"]',
  );
  return [...layers].some((layer) => layer.checkVisibility());
}
