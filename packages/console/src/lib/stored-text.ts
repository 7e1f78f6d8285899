import { browserStorage } from './browser-storage.ts';

/** A text of this browser that outlives the page. */
export interface StoredText {
  read(): string | null;
  set(text: string): void;
  subscribe(listener: () => void): () => void;
}

/** Keeps a text under `key`. It changes in every open tab at once. */
export function storedText(key: string): StoredText {
  const listeners = new Set<() => void>();
  return {
    read: () => browserStorage.getItem(key),
    set: (text) => {
      browserStorage.setItem(key, text);
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      const onStorage = (event: StorageEvent) => event.key === key && listener();
      listeners.add(listener);
      window.addEventListener('storage', onStorage);
      return () => {
        listeners.delete(listener);
        window.removeEventListener('storage', onStorage);
      };
    },
  };
}
