/** A value as a message shows it: as JSON, and not all of a long one. */
export function shownValue(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100);
}
