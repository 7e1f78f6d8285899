/** A text of this browser that outlives the page. */
export interface StoredText {
  read(): string | null;
  set(text: string): void;
  subscribe(listener: () => void): () => void;
}

/** Keeps a text under `key`. It changes in every open tab at once. */
export function storedText(key: string): StoredText {
  const listeners = new Set<() => void>();
  let unsaved: string | undefined;
  return {
    read: () => unsaved ?? readStored(key),
    set: (text) => {
      unsaved = writeStored(key, text) ? undefined : text;
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

/** A browser may refuse storage, for example in private windows. */
function readStored(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null; // the fallback counts
  }
}

function writeStored(key: string, text: string): boolean {
  try {
    window.localStorage.setItem(key, text);
    return true;
  } catch {
    return false; // the choice lasts as long as the page
  }
}
