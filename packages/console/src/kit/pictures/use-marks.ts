import { filePartsOf } from '@switchyard/client/file-parts';
import { type MarkedFiles, markFiles } from '@switchyard/contract/dispatch/file';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { showMarks } from '../../lib/live/apply-news.ts';
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
          for (const some of filePartsOf(fileIds)) {
            const { items } = await gateway.call(markFiles, { body: { fileIds: some, ...change } });
            showMarks(queries, new Map(items.map((item) => [item.fileId, item])));
          }
        },
        { refresh: [keys.fileTags, keys.starred] },
      ),
    [act, queries],
  );
  return { mark, isBusy };
}
