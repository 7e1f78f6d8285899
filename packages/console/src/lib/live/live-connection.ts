import type { ConnectOptions } from '@switchyard/client/push/push';
import type { PushMessage } from '@switchyard/client/push/push-message';
import { systemTimer, type Timer } from '@switchyard/client/timer';
import { pushTopics } from '@switchyard/contract/dispatch/push';
import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';
import { applyNews } from './apply-news.ts';
import { FrameBatch, type Schedule } from './frame-batch.ts';
import { outdatedKeys } from './invalidations.ts';
import { type LiveStore, staleAfterMs } from './live-state.ts';
import { newsOf } from './news.ts';
import { PreviewFilms } from './preview-films.ts';
import { PreviewPictures } from './preview-pictures.ts';
import { recentNews } from './recent-news.ts';
import { Refresher } from './refresher.ts';

interface LiveConnectionOptions {
  /** Opens the one socket of this tab. */
  connect: (options: ConnectOptions) => AsyncIterable<PushMessage>;
  cache: QueryClient;
  store: LiveStore;
  /** False for a user who saves data. */
  withPreviews: boolean;
  clock?: () => number;
  timer?: Timer;
  schedule?: Schedule;
}

/** The time between two readings of a workflow while its runs complete: its figures come with the whole graph. */
const figuresMs = 5_000;
/** A connection that was refused or given up is tried again after this time. */
const againAfterMs = 30_000;

/** Turns the frames of the gateway into changes of the query cache, once per animation frame. */
export class LiveConnection {
  readonly #options: Required<Omit<LiveConnectionOptions, 'schedule'>>;
  readonly #batch: FrameBatch<PushMessage>;
  readonly #refresher: Refresher;
  readonly #pictures: PreviewPictures;
  readonly #films: PreviewFilms;
  readonly #closing = new AbortController();
  /** The queries that are read once more when their first answer has come. */
  readonly #awaited = new Set<Query>();
  #cancelWait = (): void => undefined;
  #hasBegun = false;

  constructor({ schedule, clock = Date.now, timer = systemTimer, ...options }: LiveConnectionOptions) {
    this.#options = { ...options, clock, timer };
    const { cache } = options;
    this.#batch = new FrameBatch((messages) => this.#apply(messages), schedule);
    this.#refresher = new Refresher((queryKey) => this.#readAgain({ queryKey }), timer);
    this.#films = new PreviewFilms({ cache, clock, shrink: smallPicture });
    this.#pictures = new PreviewPictures(cache, (taskId, shot) => void this.#films.add(taskId, shot));
    void this.#run();
  }

  close(): void {
    this.#closing.abort(new Error('The page no longer follows the gateway.'));
    this.#cancelWait();
    this.#batch.close();
    this.#refresher.close();
    this.#pictures.close();
    this.#films.close();
  }

  async #run(): Promise<void> {
    const { connect, store, timer, withPreviews } = this.#options;
    const { signal } = this.#closing;
    const topics = pushTopics.filter((topic) => withPreviews || topic !== 'previews');
    const reconnect = { maxFailures: Number.POSITIVE_INFINITY, maxMs: 10_000 };
    try {
      for await (const message of connect({ topics, signal, reconnect })) this.#receive(message);
    } catch {
      // The chip shows that the page is stale; a page whose session has ended learns it from its next request.
    }
    if (signal.aborted) return;
    store.lost('stale');
    this.#cancelWait = timer(() => void this.#run(), againAfterMs);
  }

  #receive(message: PushMessage): void {
    if (message.type === 'disconnected') {
      this.#lose();
      return;
    }
    this.#cancelWait();
    this.#options.store.heard(this.#options.clock());
    this.#batch.push(message);
  }

  #lose(): void {
    const { store, timer } = this.#options;
    this.#cancelWait();
    store.lost('reconnecting');
    this.#cancelWait = timer(() => store.lost('stale'), staleAfterMs);
  }

  #apply(messages: PushMessage[]): void {
    const { cache } = this.#options;
    const news = newsOf(messages);
    recentNews.note(news.tasks);
    applyNews(cache, news);
    this.#pictures.show(news.previews);
    const ended = [...news.tasks].filter(([, { fields }]) => fields.phase === 'ended');
    this.#pictures.forget(ended.map(([taskId]) => taskId));
    if (news.isGap) {
      this.#readAgain({ predicate: isRead });
      return;
    }
    // The answers that were read before the socket was open may be out of date by now.
    if (!this.#hasBegun) this.#readAgain({ predicate: isRead });
    this.#hasBegun = true;
    for (const key of outdatedKeys(news)) this.#refresher.want(key);
    for (const workflowId of news.ranWorkflows) this.#refresher.want(keys.workflow(workflowId), figuresMs);
  }

  /** An answer that is on its way may be older than the news. The library asks again where an earlier one is shown, but keeps a first one. */
  #readAgain(filters: QueryFilters): void {
    const { cache } = this.#options;
    const first = cache.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
    void cache.invalidateQueries(filters);
    for (const query of first) if (query.state.data === undefined) void this.#readAfterFirst(query);
  }

  async #readAfterFirst(query: Query): Promise<void> {
    if (this.#awaited.has(query)) return;
    this.#awaited.add(query);
    try {
      await query.promise;
      if (!this.#closing.signal.aborted)
        void this.#options.cache.invalidateQueries({ queryKey: query.queryKey, exact: true });
    } catch {
      // The page shows the error of its question and offers to ask again.
    } finally {
      this.#awaited.delete(query);
    }
  }
}

const heightPx = 128;

/** A copy for a strip of small pictures. Returns null for a picture that this browser cannot read. */
async function smallPicture(picture: Blob): Promise<Blob | null> {
  try {
    const bitmap = await createImageBitmap(picture, { resizeHeight: heightPx });
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    bitmap.close();
    return await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
  } catch {
    return null;
  }
}

/** Returns whether an answer of the API can be read again. Queries that live frames fill have none. */
function isRead({ queryKey: [noun, part] }: { queryKey: readonly unknown[] }): boolean {
  return noun !== 'previews' && noun !== 'preview-films' && part !== 'new';
}
