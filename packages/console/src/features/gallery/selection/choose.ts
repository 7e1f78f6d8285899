/** The choice after a click on a thing; with a range, everything from the thing that was clicked last. */
export function chosenAfter(
  chosen: ReadonlySet<string>,
  { id, last, order }: { id: string; last: string | null; order: readonly string[] },
): Set<string> {
  const next = new Set(chosen);
  const [from, to] = [last === null ? -1 : order.indexOf(last), order.indexOf(id)];
  if (from < 0 || to < 0) {
    if (!next.delete(id)) next.add(id);
    return next;
  }
  for (const each of order.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(each);
  return next;
}
