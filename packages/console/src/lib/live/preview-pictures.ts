import type { PreviewMessage } from '@switchyard/client/push/push-message';
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import type { Preview } from '../data/previews.ts';

/** Pictures of so many tasks are kept at once. */
const maxPictures = 32;

type OnShown = (taskId: string, shot: { picture: Blob; node: string | null }) => void;

/** The previews as addresses of this page. Each holds memory until it is given back. */
export class PreviewPictures {
  readonly #cache: QueryClient;
  readonly #onShown: OnShown;
  readonly #urls = new Map<string, string>();

  constructor(cache: QueryClient, onShown: OnShown) {
    this.#cache = cache;
    this.#onShown = onShown;
  }

  show(previews: ReadonlyMap<string, PreviewMessage['data']>): void {
    for (const [taskId, { image, mediaType, node = null }] of previews) {
      this.#drop(taskId);
      const picture = new Blob([new Uint8Array(image)], { type: mediaType });
      const url = URL.createObjectURL(picture);
      this.#onShown(taskId, { picture, node });
      this.#urls.set(taskId, url);
      const preview: Preview = { url, node };
      this.#cache.setQueryData(keys.preview(taskId), preview);
    }
    for (const oldest of this.#urls.keys()) {
      if (this.#urls.size <= maxPictures) return;
      this.forget([oldest]);
    }
  }

  forget(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) {
      if (!this.#urls.has(taskId)) continue;
      this.#cache.setQueryData(keys.preview(taskId), null);
      this.#drop(taskId);
    }
  }

  close(): void {
    this.forget([...this.#urls.keys()]);
  }

  #drop(taskId: string): void {
    const url = this.#urls.get(taskId);
    if (url !== undefined) URL.revokeObjectURL(url);
    this.#urls.delete(taskId);
  }
}
