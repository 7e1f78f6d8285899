/** Groups items by namespace and keeps their order. */
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
