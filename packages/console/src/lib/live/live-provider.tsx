import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { gateway } from '../gateway.ts';
import { LiveConnection } from './live-connection.ts';
import { type LiveState, LiveStore } from './live-state.ts';

const LiveContext = createContext<LiveStore | null>(null);

/** Follows the gateway for a user who is signed in: one socket for the tab. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const cache = useQueryClient();
  const [store] = useState(() => new LiveStore());
  useEffect(() => {
    const live = new LiveConnection({
      connect: (options) => gateway.push.connect(options),
      cache,
      store,
      withPreviews: !savesData(),
    });
    return () => live.close();
  }, [cache, store]);
  return <LiveContext value={store}>{children}</LiveContext>;
}

const none = new LiveStore();

/** Returns whether the page shows what is current, and when the last frame came. */
export function useLive(): LiveState {
  const store = useContext(LiveContext) ?? none;
  return useSyncExternalStore(store.listen, store.get);
}

function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return connection?.saveData === true;
}
