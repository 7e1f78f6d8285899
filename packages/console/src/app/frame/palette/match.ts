/** Returns whether every word of the query begins a word of the text or stands in it. */
export function matches(text: string, query: string): boolean {
  const place = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => place.includes(word));
}

/** Moves through a list that has no ends. */
export function step(index: number, { by, count }: { by: number; count: number }): number {
  return count === 0 ? 0 : (index + by + count) % count;
}
