import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { keys } from '../data/keys.ts';
import { gateway } from '../gateway.ts';
import { noRunNews, type RunNews } from './run-news.ts';
import { RunReading } from './run-reading.ts';

/**
 * What a run says, as it says it. The stream is taken up again where it broke; after a gap, and when the run is over, the stored
 * thread is read again. Without a run there is no stream.
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
