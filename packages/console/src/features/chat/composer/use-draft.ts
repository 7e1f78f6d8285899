import { useCallback, useEffect, useMemo, useState } from 'react';
import { browserStorage } from '../../../lib/browser-storage.ts';
import { useSession } from '../../../lib/session.ts';
import { type Draft, DraftStore } from '../model/draft-store.ts';

/** Returns the draft of a message in a thread; it survives a reload and the end of the session. */
export function useDraft(threadId: string): [Draft, (change: Partial<Draft>) => void] {
  const { id } = useSession();
  const store = useMemo(() => new DraftStore(browserStorage, id), [id]);
  const [draft, setDraft] = useState<Draft>(() => store.read(threadId));
  useEffect(() => setDraft(store.read(threadId)), [store, threadId]);
  const change = useCallback(
    (changed: Partial<Draft>) =>
      setDraft((before) => {
        const next = { ...before, ...changed };
        store.write(threadId, next);
        return next;
      }),
    [store, threadId],
  );
  return [draft, change];
}
