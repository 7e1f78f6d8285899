import {
  type FileList,
  type FileMarks,
  type MarkedFiles,
  markFiles,
  markLimits,
} from '@switchyard/contract/dispatch/file';
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useAct } from '../forms/use-act.ts';

type Change = Omit<MarkedFiles, 'fileIds'>;

/** Stars files, or gives them a caption or tags. The lists that show them change at once. */
export function useMarks() {
  const { act, isBusy } = useAct();
  const queries = useQueryClient();
  const mark = useCallback(
    (fileIds: readonly string[], change: Change) =>
      act(
        async () => {
          for (let from = 0; from < fileIds.length; from += markLimits.files) {
            const some = fileIds.slice(from, from + markLimits.files);
            const { items } = await gateway.call(markFiles, { body: { fileIds: some, ...change } });
            showMarks(queries, new Map(items.map((item) => [item.fileId, item])));
          }
        },
        { refresh: change.starred === undefined && change.caption === undefined ? [keys.fileTags] : [] },
      ),
    [act, queries],
  );
  return { mark, isBusy };
}

/** Lists by star or tag are read again when they are next shown; at once, files would vanish under the pointer. */
function showMarks(queries: QueryClient, marks: ReadonlyMap<string, FileMarks>): void {
  queries.setQueriesData<InfiniteData<FileList>>(
    { queryKey: keys.filePages },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          items: page.items.map((file) => ({ ...file, ...marks.get(file.fileId) })),
        })),
      },
  );
  void queries.invalidateQueries({ queryKey: keys.filePages, refetchType: 'none' });
}
