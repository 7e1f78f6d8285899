import { filePartsOf } from '@switchyard/client/file-parts';
import { deleteFiles } from '@switchyard/contract/dispatch/file';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { useToast } from '../toast.tsx';
import { PendingDeletions } from './pending-deletions.ts';

const none: ReadonlySet<string> = new Set();

/** Deletes files after a time in which it can be taken back. Those that wait for it and those that are gone are hidden. */
export function useDeletions(): { hidden: ReadonlySet<string>; remove: (ids: readonly string[]) => void } {
  const text = useText('pictures');
  const toast = useToast();
  const words = useGatewayWords();
  const queries = useQueryClient();
  const [waiting, setWaiting] = useState<ReadonlySet<string>>(none);
  const [gone, setGone] = useState<ReadonlySet<string>>(none);
  const say = useRef(toast);
  say.current = toast;
  const deletions = useMemo(() => {
    const perform = async (ids: readonly string[]) => {
      const outcome = await deleteAll(ids);
      setGone((before) => new Set([...before, ...outcome.gone]));
      await queries.invalidateQueries({ queryKey: keys.files });
      pending.settle();
      if (outcome.inUse > 0) say.current({ text: text('inUse', { count: outcome.inUse }), tone: 'failed' });
      const { refused, failure } = outcome;
      if (refused !== null)
        say.current({ text: words.known(`error.${refused.code}`, refused.message), tone: 'failed' });
      if (failure !== null) say.current({ error: failure.error });
    };
    const pending: PendingDeletions = new PendingDeletions({
      perform: (ids) => void perform(ids),
      onChange: () => setWaiting(pending.hidden),
      setTimer: (work, ms) => window.setTimeout(work, ms),
      clearTimer: (timer) => window.clearTimeout(timer),
    });
    return pending;
  }, [queries, text, words]);
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
    toast({ text: text('deleted', { count: ids.length }), undo });
  };
  const hidden = useMemo(() => new Set([...waiting, ...gone]), [waiting, gone]);
  return { hidden, remove };
}

interface Outcome {
  gone: string[];
  inUse: number;
  /** Why the gateway keeps a file for another reason. */
  refused: { code: string; message: string } | null;
  failure: { error: unknown } | null;
}

/** A file that is needed stays, and the others go. */
async function deleteAll(ids: readonly string[]): Promise<Outcome> {
  const gone: string[] = [];
  let inUse = 0;
  let refused: Outcome['refused'] = null;
  let failure: Outcome['failure'] = null;
  try {
    for (const fileIds of filePartsOf(ids)) {
      const { items } = await gateway.call(deleteFiles, { body: { fileIds } });
      for (const { fileId, error } of items)
        if (error === null || error.code === 'file_not_found') gone.push(fileId);
        else if (error.code === 'file_in_use') inUse += 1;
        else refused = error;
    }
  } catch (error) {
    failure = { error };
  }
  return { gone, inUse, refused, failure };
}
