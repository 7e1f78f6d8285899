import { queryOptions } from '@tanstack/react-query';
import { keys } from './keys.ts';

/** A picture of work in progress. Its address is one of this page and is replaced by each newer picture. */
export interface Preview {
  url: string;
  node: string | null;
}

/** The latest preview of a task; null when none has come. Live frames fill it. */
export function previewQuery(taskId: string) {
  return queryOptions({
    queryKey: keys.preview(taskId),
    queryFn: (): Preview | null => null,
    staleTime: Infinity,
  });
}
