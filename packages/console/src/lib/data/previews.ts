import { queryOptions } from '@tanstack/react-query';
import { keys } from './keys.ts';

/** A picture of work in progress. Its address is one of this page and is replaced by each newer picture. */
export interface Preview {
  url: string;
  node: string | null;
}

/** A preview that came while the page was open, small, with the moment at which it came. */
export interface FilmShot {
  url: string;
  atMs: number;
  node: string | null;
}

/** The previews of a task that this page has seen. Live frames fill it; after a reload it is empty. */
export function previewFilmQuery(taskId: string) {
  return queryOptions({
    queryKey: keys.previewFilm(taskId),
    queryFn: (): FilmShot[] => [],
    staleTime: Infinity,
  });
}

/** The latest preview of a task; null when none has come. Live frames fill it. */
export function previewQuery(taskId: string) {
  return queryOptions({
    queryKey: keys.preview(taskId),
    queryFn: (): Preview | null => null,
    staleTime: Infinity,
  });
}
