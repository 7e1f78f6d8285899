/** Null or an empty text removes the name. */
export type QueryChanges = Record<string, string | null>;

/** The query with the changes, beginning with `?`, or empty. */
export function changeQuery(search: string, changes: QueryChanges): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
