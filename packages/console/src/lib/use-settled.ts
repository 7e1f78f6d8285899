import { useEffect, useState } from 'react';

/**
 * Returns a value once it has stayed the same for a while, so that the gateway is not asked for every letter. Values are compared
 * by their JSON.
 */
export function useSettled<Value>(value: Value, afterMs: number): Value {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(key) as Value), afterMs);
    return () => clearTimeout(timer);
  }, [key, afterMs]);
  return settled;
}
