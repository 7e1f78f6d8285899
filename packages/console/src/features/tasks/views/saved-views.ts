import { deleteStoreItem, putStoreItem, searchStoreItems } from '@switchyard/contract/conversation/store';
import { queryOptions } from '@tanstack/react-query';
import { gateway } from '../../../lib/gateway.ts';
import { type SavedView, viewIn } from './saved-view.ts';

export const maxViews = 50;
export const maxViewName = 60;
export const viewsKey = ['task-views'];

/** The store of the account keeps them, so that they are there in every browser of the user. */
const namespace = ['console', 'task-views'];

export const viewsQuery = queryOptions({
  queryKey: viewsKey,
  queryFn: async ({ signal }): Promise<SavedView[]> => {
    const body = { namespace_prefix: namespace, limit: maxViews };
    const { items } = await gateway.call(searchStoreItems, { body, signal });
    return items.flatMap(({ key, value }) => viewIn(key, value)).sort(byName);
  },
});

export async function saveView({ name, search }: SavedView): Promise<void> {
  // No agent looks for a filter of the console by its meaning.
  await gateway.call(putStoreItem, { body: { namespace, key: name, value: { search }, index: false } });
}

export async function deleteView(name: string): Promise<void> {
  await gateway.call(deleteStoreItem, { body: { namespace, key: name } });
}

function byName(one: SavedView, other: SavedView): number {
  return one.name.localeCompare(other.name);
}
