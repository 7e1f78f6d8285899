import { type FileFilterQuery, listFiles, type NewStoredFile } from '@switchyard/contract/dispatch/file';
import { getFileLineage } from '@switchyard/contract/dispatch/lineage';
import { getFileRecipe } from '@switchyard/contract/dispatch/recipe';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { keys } from './keys.ts';

/** All files of a filter, the newest first. */
export function filePagesQuery(filter: FileFilterQuery = {}) {
  return infiniteQueryOptions({
    queryKey: [...keys.filePages, filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      gateway.call(listFiles, {
        query: { limit: 100, ...filter, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** The files that live frames have announced since the page was opened, the newest first. */
export function newFilesQuery() {
  return queryOptions({ queryKey: keys.newFiles, queryFn: (): NewStoredFile[] => [], staleTime: Infinity });
}

export function fileRecipeQuery(fileId: string) {
  return queryOptions({
    queryKey: [...keys.files, 'one', fileId, 'recipe'],
    queryFn: ({ signal }) => gateway.call(getFileRecipe, { params: { fileId }, signal }),
  });
}

export function fileLineageQuery(fileId: string) {
  return queryOptions({
    queryKey: [...keys.files, 'one', fileId, 'lineage'],
    queryFn: ({ signal }) => gateway.call(getFileLineage, { params: { fileId }, signal }),
  });
}
