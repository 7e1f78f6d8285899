import { useCallback, useMemo, useState } from 'react';
import { type HeldRows, holdRows } from './waiting-rows.ts';

interface HeldRowsOptions<Row> {
  keyOf: (row: Row) => string;
  /** The filter and the order of the list: with another one, the list begins with all of its rows. */
  of: string;
  /** True while somebody points at the list or has scrolled into it. */
  held: boolean;
}

/** Rows that never jump: while `held` is true, new ones wait until `show` is called. */
export function useHeldRows<Row>(
  rows: readonly Row[],
  options: HeldRowsOptions<Row>,
): HeldRows<Row> & { show: () => void } {
  const { keyOf, of, held } = options;
  const [known, setKnown] = useState<{ of: string; keys: readonly string[] }>({ of, keys: [] });
  const keys = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  const show = useCallback(() => setKnown({ of, keys: [] }), [of]);
  const free = !held || known.of !== of || known.keys.length === 0;
  // State is set while rendering, as React documents it for state that follows from props.
  if (free && (known.of !== of || !sameKeys(known.keys, keys))) setKnown({ of, keys });
  // The same rows give the same list, so that nothing is drawn again for it.
  const list = useMemo(
    () => (free ? { shown: rows, waiting: 0 } : holdRows(rows, known.keys, keyOf)),
    [free, rows, known.keys, keyOf],
  );
  return { ...list, show };
}

function sameKeys(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}
