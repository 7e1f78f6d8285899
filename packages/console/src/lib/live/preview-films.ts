import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import type { FilmShot } from '../data/previews.ts';

interface PreviewFilmsOptions {
  cache: QueryClient;
  clock: () => number;
  /** Returns null for a picture that the browser cannot read. */
  shrink: (picture: Blob) => Promise<Blob | null>;
}

interface Film {
  shots: FilmShot[];
  /** The time between two shots, and the earliest moment of the next one. */
  gapMs: number;
  nextMs: number;
}

/** Bounds of what is kept: tasks, pictures of each, and the time between two pictures at first. */
export const maxFilms = 8;
export const maxShots = 40;
export const minGapMs = 500;

/** The previews that this page has seen, small, for the film strips of timelines. The gateway does not store them. */
export class PreviewFilms {
  readonly #options: PreviewFilmsOptions;
  readonly #films = new Map<string, Film>();

  constructor(options: PreviewFilmsOptions) {
    this.#options = options;
    // A film that no page shows now is wanted when its run is opened.
    options.cache.setQueryDefaults(keys.previewFilms, { gcTime: Infinity });
  }

  async add(taskId: string, { picture, node }: { picture: Blob; node: string | null }): Promise<void> {
    const atMs = this.#options.clock();
    const film = this.#films.get(taskId) ?? { shots: [], gapMs: minGapMs, nextMs: 0 };
    if (atMs < film.nextMs) return;
    film.nextMs = atMs + film.gapMs;
    this.#films.delete(taskId);
    this.#films.set(taskId, film);
    this.#forgetOldest();
    const small = await this.#options.shrink(picture);
    if (small === null || this.#films.get(taskId) !== film) return;
    film.shots.push({ url: URL.createObjectURL(small), atMs, node });
    if (film.shots.length > maxShots) thin(film);
    this.#options.cache.setQueryData(keys.previewFilm(taskId), [...film.shots]);
  }

  close(): void {
    for (const taskId of [...this.#films.keys()]) this.#forget(taskId);
  }

  #forgetOldest(): void {
    const [oldest] = this.#films.keys();
    if (this.#films.size > maxFilms && oldest !== undefined) this.#forget(oldest);
  }

  #forget(taskId: string): void {
    for (const { url } of this.#films.get(taskId)?.shots ?? []) URL.revokeObjectURL(url);
    this.#films.delete(taskId);
    const queryKey = keys.previewFilm(taskId);
    this.#options.cache.setQueryData(queryKey, []);
    this.#options.cache.removeQueries({ queryKey, type: 'inactive' });
  }
}

/** Leaves out every second picture, so that those that stay are spread over the whole time. */
function thin(film: Film): void {
  for (const { url } of film.shots.filter((_, place) => place % 2 === 1)) URL.revokeObjectURL(url);
  film.shots = film.shots.filter((_, place) => place % 2 === 0);
  film.gapMs *= 2;
}
