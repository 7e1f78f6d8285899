interface Moved {
  ids: readonly string[];
  order: readonly string[];
}

/**
 * Returns the file that follows the moved ones afterwards; null is the end, and undefined that they stand there already. Moved
 * files that stood apart come together.
 */
export function followerAfter(
  to: 'start' | 'earlier' | 'later' | 'end',
  { ids, order }: Moved,
): string | null | undefined {
  const moved = new Set(ids);
  const others = order.filter((id) => !moved.has(id));
  const places = order.flatMap((id, index) => (moved.has(id) ? [index] : []));
  const first = places[0];
  const last = places.at(-1);
  if (first === undefined || last === undefined || others.length === 0) return undefined;
  const isOneBlock = last - first + 1 === places.length;
  if (to === 'start') return isOneBlock && first === 0 ? undefined : others[0];
  if (to === 'end') return isOneBlock && last === order.length - 1 ? undefined : null;
  if (to === 'earlier') return first === 0 ? undefined : order[first - 1];
  if (last === order.length - 1) return undefined;
  return order.slice(last + 2).find((id) => !moved.has(id)) ?? null;
}
