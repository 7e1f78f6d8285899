import {
  collectionLimits,
  getCollection,
  listCollectionFiles,
  listCollections,
} from '@switchyard/contract/dispatch/collection';
import {
  type FileFilterQuery,
  type FileList,
  listFileModels,
  listFiles,
  listFileTags,
  type NewStoredFile,
} from '@switchyard/contract/dispatch/file';
import { getFileLineage } from '@switchyard/contract/dispatch/lineage';
import { getFileRecipe } from '@switchyard/contract/dispatch/recipe';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { gateway } from '../gateway.ts';
import { keys } from './keys.ts';

/** All files of a filter, the newest first, or those of a collection in its order. */
export function filePagesQuery(filter: FileFilterQuery = {}, collectionId: string | null = null) {
  return infiniteQueryOptions({
    queryKey: collectionId === null ? [...keys.filePages, filter] : keys.filesOf(collectionId),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<FileList> => {
      const page = { limit: 100, ...(pageParam !== undefined && { cursor: pageParam }) };
      return collectionId === null
        ? gateway.call(listFiles, { query: { ...page, ...filter }, signal })
        : gateway.call(listCollectionFiles, { params: { collectionId }, query: page, signal });
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** The newest starred files of a workflow. */
export function starredQuery(workflowId: string) {
  return queryOptions({
    queryKey: [...keys.starred, workflowId],
    queryFn: ({ signal }) =>
      gateway.call(listFiles, { query: { workflowId, starred: true, limit: 100 }, signal }),
  });
}

/** The files that live frames have announced since the page was opened, the newest first. */
export function newFilesQuery() {
  return queryOptions({ queryKey: keys.newFiles, queryFn: (): NewStoredFile[] => [], staleTime: Infinity });
}

export function fileRecipeQuery(fileId: string) {
  return queryOptions({
    queryKey: [...keys.file(fileId), 'recipe'],
    queryFn: ({ signal }) => gateway.call(getFileRecipe, { params: { fileId }, signal }),
  });
}

export function fileLineageQuery(fileId: string) {
  return queryOptions({
    queryKey: [...keys.file(fileId), 'lineage'],
    queryFn: ({ signal }) => gateway.call(getFileLineage, { params: { fileId }, signal }),
  });
}

/** One collection, of the user or of somebody who shares it. */
export function collectionQuery(collectionId: string) {
  return queryOptions({
    queryKey: [...keys.collections, 'one', collectionId],
    queryFn: ({ signal }) => gateway.call(getCollection, { params: { collectionId }, signal }),
  });
}

/** Your collections by name, or those that have a file. */
export function collectionsQuery(fileId?: string) {
  return queryOptions({
    queryKey: [...keys.collections, fileId ?? 'all'],
    queryFn: ({ signal }) => {
      const query = { limit: collectionLimits.perUser, ...(fileId !== undefined && { fileId }) };
      return gateway.call(listCollections, { query, signal });
    },
  });
}

export function fileModelsQuery() {
  return queryOptions({
    queryKey: keys.fileModels,
    staleTime: 60_000,
    queryFn: ({ signal }) => gateway.call(listFileModels, { query: {}, signal }),
  });
}

export function fileTagsQuery() {
  return queryOptions({
    queryKey: keys.fileTags,
    queryFn: ({ signal }) => gateway.call(listFileTags, { query: {}, signal }),
  });
}
