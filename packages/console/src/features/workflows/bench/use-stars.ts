import { markFiles } from '@switchyard/contract/dispatch/file';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useToast } from '../../../kit/toast.tsx';
import { filePagesQuery } from '../../../lib/data/files.ts';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';

/** The newest starred files of a workflow, and the way to star one or take the star away. It shows at once and is taken back when refused. */
export function useStars(workflowId: string): {
  stars: ReadonlySet<string>;
  toggle: (fileId: string) => void;
} {
  const cache = useQueryClient();
  const toast = useToast();
  const { data } = useInfiniteQuery(filePagesQuery({ workflowId, starred: true }));
  const change = useMutation({
    mutationFn: (mark: { fileId: string; starred: boolean }) =>
      gateway.call(markFiles, { body: { fileIds: [mark.fileId], starred: mark.starred } }),
    onError: (error) => toast({ error }),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.filePages }),
  });
  const { variables, isPending } = change;
  const stars = useMemo(() => {
    const known = new Set(data?.pages.flatMap(({ items }) => items.map(({ fileId }) => fileId)));
    if (isPending && variables.starred) known.add(variables.fileId);
    else if (isPending) known.delete(variables.fileId);
    return known;
  }, [data, isPending, variables]);
  return { stars, toggle: (fileId) => change.mutate({ fileId, starred: !stars.has(fileId) }) };
}
