import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keys } from '../data/keys.ts';
import { gateway } from '../gateway.ts';
import { RunPulse } from './run-pulse.ts';

/**
 * Reads the stored run again when its stream brings something. Returns whether the stream does; while it does not, the page has
 * to ask by the clock.
 */
export function useRunPulse(threadId: string, runId: string, isLive: boolean): boolean {
  const cache = useQueryClient();
  const [isHeard, setHeard] = useState(false);
  useEffect(() => {
    if (!isLive) return;
    const pulse = new RunPulse({
      follow: (signal) => gateway.runs.follow({ threadId, runId, signal }),
      // A reading that is still on its way is not given up: a slow one would never end.
      read: () =>
        void cache.invalidateQueries({ queryKey: keys.run(threadId, runId) }, { cancelRefetch: false }),
      onHeard: setHeard,
    });
    return () => {
      pulse.close();
      setHeard(false);
    };
  }, [cache, threadId, runId, isLive]);
  return isHeard;
}
