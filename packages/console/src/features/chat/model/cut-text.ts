/** More than this is no longer read in a conversation; the page of the run has the whole. */
const maxLength = 20_000;

export function cutForReading(value: string): { shown: string; hidden: number } {
  return { shown: value.slice(0, maxLength), hidden: Math.max(0, value.length - maxLength) };
}
