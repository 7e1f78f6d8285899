export interface HeldRows<Row> {
  /** The visible rows, in the order that the reader knows, with their newest values. */
  shown: readonly Row[];
  /** The number of new rows that wait. */
  waiting: number;
}

/**
 * Keeps the rows of a list where they are while somebody reads it: `known` are the keys in the order that is shown.
 * Rows that came later wait, changed rows change in place, and rows that are gone go.
 */
export function holdRows<Row>(
  rows: readonly Row[],
  known: readonly string[],
  keyOf: (row: Row) => string,
): HeldRows<Row> {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  const shown = known.flatMap((key) => {
    const row = byKey.get(key);
    return row === undefined ? [] : [row];
  });
  const seen = new Set(known);
  const last = known.at(-1);
  const end = rows.findLastIndex((row) => keyOf(row) === last);
  // Rows behind the last known one are the next page: they move nothing.
  const next = end < 0 ? [] : rows.slice(end + 1).filter((row) => !seen.has(keyOf(row)));
  return { shown: [...shown, ...next], waiting: byKey.size - shown.length - next.length };
}
