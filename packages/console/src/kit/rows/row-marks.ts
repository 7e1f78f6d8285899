/** Spread on the element of a row: a `tr`, a `li`, a card. j and k lead to it; see `useRowKeys`. */
export function rowMarks(key: string) {
  return { 'data-row': key, tabIndex: -1 } as const;
}

/** Spread on the control that opens a row. It gets the focus for the row, so that Enter does what a click does. */
export const opensRow = { 'data-opens-row': '' } as const;

/** Spread on the control that chooses a row, which x presses. */
export const choosesRow = { 'data-chooses-row': '' } as const;

/** The ring of a row that has the focus itself, because nothing opens it. */
export const rowRing = 'outline-accent focus-visible:outline-2 focus-visible:-outline-offset-2';
