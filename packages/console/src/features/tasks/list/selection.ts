/** Which rows are chosen: some of them, or everything that the filter finds. */
export interface Selection {
  chosen: ReadonlySet<string>;
  /** True when the action means all rows of the filter, not only those that are loaded. */
  all: boolean;
}

export const nothingChosen: Selection = { chosen: new Set(), all: false };

export function choose({ chosen }: Selection, key: string, isChosen: boolean): Selection {
  const next = new Set(chosen);
  if (isChosen) next.add(key);
  else next.delete(key);
  return { chosen: next, all: false };
}

export function chooseRows(keys: readonly string[], isChosen: boolean): Selection {
  return isChosen ? { chosen: new Set(keys), all: false } : nothingChosen;
}

export function chooseEverything({ chosen }: Selection): Selection {
  return { chosen, all: true };
}

/** Rows that are gone are no longer chosen. */
export function withoutGone(selection: Selection, keys: readonly string[]): Selection {
  const present = new Set(keys);
  const chosen = [...selection.chosen].filter((key) => present.has(key));
  return chosen.length === selection.chosen.size ? selection : { ...selection, chosen: new Set(chosen) };
}
