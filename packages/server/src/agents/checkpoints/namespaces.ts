/** In the order in which they come, one list for each namespace. */
export function byNamespace<Item extends { namespace: string }>(
  items: readonly Item[],
): ReadonlyMap<string, Item[]> {
  const lists = new Map<string, Item[]>();
  for (const item of items) {
    const list = lists.get(item.namespace);
    if (list) list.push(item);
    else lists.set(item.namespace, [item]);
  }
  return lists;
}
