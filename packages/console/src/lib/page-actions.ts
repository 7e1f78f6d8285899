import { useEffect, useRef, useSyncExternalStore } from 'react';

/** Something that the page which is shown can do, offered in the search as well. */
export interface PageAction {
  /** One of its kind on the page. */
  id: string;
  /** The verb with its object: "Add an instance". */
  label: string;
  run: () => void;
}

let actions: readonly PageAction[] = [];
const listeners = new Set<() => void>();

function replace(next: readonly PageAction[]): void {
  actions = next;
  for (const listener of listeners) listener();
}

/** Offers an action in the search for as long as the component is shown. */
export function usePageAction({ id, label, run }: PageAction): void {
  const current = useRef(run);
  useEffect(() => {
    current.current = run;
  });
  useEffect(() => {
    const action = { id, label, run: () => current.current() };
    replace([...actions.filter((other) => other.id !== id), action]);
    return () => replace(actions.filter((other) => other !== action));
  }, [id, label]);
}

export function usePageActions(): readonly PageAction[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => actions,
  );
}
