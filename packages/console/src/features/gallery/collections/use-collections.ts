import { filePartsOf } from '@switchyard/client/file-parts';
import {
  addToCollection,
  createCollection,
  deleteCollection,
  moveInCollection,
  removeFromCollection,
  updateCollection,
} from '@switchyard/contract/dispatch/collection';
import { useMemo } from 'react';
import { useAct } from '../../../kit/forms/use-act.ts';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';

const refresh = [keys.collections, keys.filePages];

/** The changes of collections. Each shows what failed, and reads again what it may have changed. */
export function useCollections() {
  const text = useText('gallery');
  const { act } = useAct();
  return useMemo(() => {
    const inParts = async (fileIds: readonly string[], send: (some: string[]) => Promise<unknown>) => {
      for (const some of filePartsOf(fileIds)) await send(some);
    };
    const put = (collectionId: string, fileIds: readonly string[]) =>
      inParts(fileIds, (some) =>
        gateway.call(addToCollection, { params: { collectionId }, body: { fileIds: some } }),
      );
    const take = (collectionId: string, fileIds: readonly string[]) =>
      inParts(fileIds, (some) =>
        gateway.call(removeFromCollection, { params: { collectionId }, body: { fileIds: some } }),
      );
    return {
      add: ({ id, name }: { id: string; name: string }, fileIds: readonly string[]) =>
        act(() => put(id, fileIds), {
          done: text('collections.added', { count: fileIds.length, name }),
          refresh,
        }),
      /** Makes a collection with these files. Throws what a form shows. */
      create: async (name: string, fileIds: readonly string[]) => {
        const made = await gateway.call(createCollection, { body: { name } });
        await act(() => put(made.id, fileIds), { refresh });
        return made;
      },
      remove: (collectionId: string, fileIds: readonly string[]) =>
        act(() => take(collectionId, fileIds), {
          done: text('collections.removed', { count: fileIds.length }),
          undo: () => put(collectionId, fileIds),
          refresh,
        }),
      move: (collectionId: string, fileIds: readonly string[], before: string | null) =>
        act(
          () =>
            gateway.call(moveInCollection, {
              params: { collectionId },
              body: { fileIds: [...fileIds], before },
            }),
          { refresh },
        ),
      change: (collectionId: string, body: { name?: string; coverFileId?: string | null }) =>
        gateway.call(updateCollection, { params: { collectionId }, body }),
      cover: (collectionId: string, coverFileId: string) =>
        act(() => gateway.call(updateCollection, { params: { collectionId }, body: { coverFileId } }), {
          done: text('collections.covered'),
          refresh: [keys.collections],
        }),
      delete: (collectionId: string) =>
        act(() => gateway.call(deleteCollection, { params: { collectionId } }), {
          done: text('collections.deleted'),
          refresh,
        }),
    };
  }, [act, text]);
}
