import { ApiError } from '@switchyard/client/errors';
import { deleteFile } from '@switchyard/contract/dispatch/file';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useToast } from '../../../kit/toast.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { gateway } from '../../../lib/gateway.ts';
import { useText } from '../../../lib/i18n.ts';
import { PendingDeletions } from './pending-deletions.ts';

/** Deletes files after a time in which it can be taken back. */
export function useDeletions(): { hidden: ReadonlySet<string>; remove: (ids: readonly string[]) => void } {
  const text = useText('gallery');
  const toast = useToast();
  const queries = useQueryClient();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const say = useRef(toast);
  say.current = toast;
  const deletions = useMemo(() => {
    const perform = async (ids: readonly string[]) => {
      const kept = await deleteEach(ids);
      await queries.invalidateQueries({ queryKey: keys.files });
      pending.settle();
      if (kept.inUse > 0) say.current({ text: text('delete.inUse', { count: kept.inUse }), tone: 'failed' });
      if (kept.failure !== null) say.current({ error: kept.failure.error });
    };
    const pending: PendingDeletions = new PendingDeletions({
      perform: (ids) => void perform(ids),
      onChange: () => setHidden(pending.hidden),
      setTimer: (work, ms) => window.setTimeout(work, ms),
      clearTimer: (timer) => window.clearTimeout(timer),
    });
    return pending;
  }, [queries, text]);
  useEffect(() => {
    const leave = () => deletions.flush();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      deletions.flush();
    };
  }, [deletions]);
  const remove = (ids: readonly string[]) => {
    const undo = deletions.add(ids);
    toast({ text: text('delete.done', { count: ids.length }), undo });
  };
  return { hidden, remove };
}

/** One after the other: a file that is needed stays, and the others go. */
async function deleteEach(
  ids: readonly string[],
): Promise<{ inUse: number; failure: { error: unknown } | null }> {
  let inUse = 0;
  let failure: { error: unknown } | null = null;
  for (const fileId of ids) {
    try {
      await gateway.call(deleteFile, { params: { fileId } });
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) inUse += 1;
      else if (!(error instanceof ApiError && error.status === 404)) {
        failure = { error };
      }
    }
  }
  return { inUse, failure };
}
