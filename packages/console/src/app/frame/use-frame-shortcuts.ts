import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useRowKeys } from '../../kit/rows/use-row-keys.ts';
import { awaitSecondKey, useShortcuts } from '../../kit/use-shortcuts.ts';
import { goKeys, goMs, isGoing } from './go-keys.ts';
import { railChoice } from './rail-choice.ts';
import { useVisiblePages } from './visible-pages.ts';

/** The keys that work on every page. */
export function useFrameShortcuts({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }): void {
  const [, navigate] = useLocation();
  const names = new Set(useVisiblePages().flatMap((group) => group.map(({ name }) => name)));
  const pressedGoAt = useRef<number | null>(null);
  const go = (name: string) => (event: KeyboardEvent) => {
    if (!isGoing(pressedGoAt.current, event.timeStamp) || !names.has(name)) return;
    pressedGoAt.current = null;
    awaitSecondKey(0);
    event.preventDefault();
    navigate(`/${name}`);
  };
  useShortcuts(
    {
      ...Object.fromEntries(Object.entries(goKeys).map(([key, name]) => [key, go(name)])),
      // "g" begins a way, and "g g" leads to the gallery.
      g: (event) => {
        if (isGoing(pressedGoAt.current, event.timeStamp)) go('gallery')(event);
        else {
          pressedGoAt.current = event.timeStamp;
          awaitSecondKey(event.timeStamp + goMs);
        }
      },
      '?': onHelp,
      '/': (event) => {
        event.preventDefault();
        focusSearch() || onSearch();
      },
      '[': () => railChoice.set(railChoice.read() === 'wide' ? 'narrow' : 'wide'),
    },
    { takesPairs: true },
  );
  useRowKeys();
  usePaletteKey(onSearch);
}

/** Works in texts as well, as in other programs. */
function usePaletteKey(onSearch: () => void): void {
  const current = useRef(onSearch);
  useEffect(() => {
    current.current = onSearch;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey) return;
      event.preventDefault();
      current.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** The search field of the page, if it has one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.focus();
  return field !== null;
}
