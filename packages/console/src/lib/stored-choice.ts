import { useSyncExternalStore } from 'react';
import { storedText } from './stored-text.ts';

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
  const { read: stored, set, subscribe } = storedText(key);
  const read = (): Value => {
    const text = stored();
    return values.find((value) => value === text) ?? fallback();
  };
  return { read, set, subscribe, use: () => useSyncExternalStore(subscribe, read) };
}
