import { useEffect, useState } from 'react';

const settledAfterMs = 250;

/** A value once it has stopped changing for a moment, so that a search does not ask for every letter. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settledAfterMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
