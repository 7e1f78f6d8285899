import { useSyncExternalStore } from 'react';

/** A choice of this browser that outlives the page. */
export interface StoredChoice<Value extends string> {
  read(): Value;
  set(value: Value): void;
  use(): Value;
  subscribe(listener: () => void): () => void;
}

/** Keeps one of `values` under `key`. The choice changes in every open tab at once. */
export function storedChoice<const Value extends string>(
  key: string,
  { values, fallback }: { values: readonly Value[]; fallback: () => Value },
): StoredChoice<Value> {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  let unsaved: Value | undefined;
  const read = (): Value => {
    const stored = unsaved ?? readStored(key);
    return values.find((value) => value === stored) ?? fallback();
  };
  const subscribe = (listener: () => void) => {
    const onStorage = (event: StorageEvent) => event.key === key && listener();
    listeners.add(listener);
    window.addEventListener('storage', onStorage);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', onStorage);
    };
  };
  return {
    read,
    set: (value) => {
      unsaved = writeStored(key, value) ? undefined : value;
      notify();
    },
    use: () => useSyncExternalStore(subscribe, read),
    subscribe,
  };
}

/** A browser may refuse storage, for example in private windows. */
function readStored(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null; // the fallback counts
  }
}

function writeStored(key: string, value: string): boolean {
  try {
    window.localStorage.setItem(key, value);
    return true;
  } catch {
    return false; // the choice lasts as long as the page
  }
}
