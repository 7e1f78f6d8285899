import type { RunFrame } from '@switchyard/client/conversation/run-frame';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { keys } from '../data/keys.ts';
import { gateway } from '../gateway.ts';
import { FrameBatch, type Schedule } from './frame-batch.ts';
import { noRunNews, type RunNews, RunNewsReader } from './run-news.ts';

/**
 * Reads the stream of a run. A broken stream continues at the same place; after a gap, and when the run is over, the
 * stored thread is read again. Without a run there is no stream.
 */
export function useRunStream(threadId: string, runId: string | null): RunNews {
  const cache = useQueryClient();
  const [reading, setReading] = useState<RunReading | null>(null);
  useEffect(() => {
    if (runId === null) return;
    const made = new RunReading({
      follow: (signal) => gateway.runs.follow({ threadId, runId, signal }),
      onStored: () => void cache.invalidateQueries({ queryKey: keys.thread(threadId) }),
    });
    setReading(made);
    return () => {
      made.close();
      setReading(null);
    };
  }, [cache, threadId, runId]);
  return useSyncExternalStore(reading?.listen ?? silence, reading?.get ?? nothing);
}

const silence = () => () => undefined;
const nothing = () => noRunNews;

interface RunReadingOptions {
  /** Reads the run from its oldest kept frame. */
  follow: (signal: AbortSignal) => AsyncIterable<RunFrame>;
  /** Called when frames are missing for good and when the run is over: the stored state has to be read again. */
  onStored: (why: 'gap' | 'end') => void;
  schedule?: Schedule;
}

/** Reads a run while the page shows it. The run goes on when the reading ends. */
class RunReading {
  readonly #reader = new RunNewsReader();
  readonly #batch: FrameBatch<RunFrame>;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #options: RunReadingOptions;
  #news: RunNews = noRunNews;

  constructor(options: RunReadingOptions) {
    this.#options = options;
    this.#batch = new FrameBatch((frames) => this.#show(this.#reader.apply(frames)), options.schedule);
    void this.#run();
  }

  get = (): RunNews => this.#news;

  listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  close(): void {
    this.#closing.abort(new Error('The page no longer shows the run.'));
    this.#batch.close();
  }

  async #run(): Promise<void> {
    const { follow, onStored } = this.#options;
    const { signal } = this.#closing;
    let error: string | null = null;
    try {
      for await (const frame of follow(signal)) {
        this.#batch.push(frame);
        if (frame.event === 'gap') onStored('gap');
      }
    } catch (cause) {
      error = cause instanceof Error ? cause.message : String(cause);
    }
    if (signal.aborted) return;
    this.#batch.flush();
    this.#show(this.#reader.end(error));
    onStored('end');
  }

  #show(news: RunNews): void {
    this.#news = news;
    for (const listener of this.#listeners) listener();
  }
}
