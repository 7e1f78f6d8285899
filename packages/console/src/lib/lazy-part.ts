import { useEffect, useState } from 'react';

/** Code that the browser loads when it is first needed. */
export interface LazyPart<Part> {
  /** The part, once it has been loaded. */
  loaded: () => Part | null;
  load: () => Promise<Part>;
}

export function lazyPart<Part>(load: () => Promise<Part>): LazyPart<Part> {
  let part: Part | null = null;
  return {
    loaded: () => part,
    load: async () => {
      part ??= await load();
      return part;
    },
  };
}

/**
 * Returns null until the part has been loaded, and throws when it cannot be. A part that is there is drawn at once: a lazy
 * component of React would show its placeholder first, and keep it for a third of a second.
 */
export function useLazyPart<Part>(part: LazyPart<Part>): Part | null {
  const [loaded, setLoaded] = useState<{ part: Part | null }>(() => ({ part: part.loaded() }));
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    if (loaded.part !== null) return;
    let isCurrent = true;
    part.load().then(
      (made) => isCurrent && setLoaded({ part: made }),
      (error: unknown) => isCurrent && setFailure(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [part, loaded]);
  if (failure !== null) throw failure;
  return loaded.part;
}
