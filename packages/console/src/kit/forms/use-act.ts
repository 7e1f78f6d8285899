import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../toast.tsx';

interface Act {
  /** What is said when it is done; without it nothing is said. */
  done?: string;
  /** Takes it back; offered for as long as the message stays. */
  undo?: () => Promise<unknown>;
  /** What has to be read again, whether it worked or not. */
  refresh: QueryKey;
}

/** Does one thing at the gateway and says how it ended. Resolves to whether it worked. */
export function useAct(): (work: () => Promise<unknown>, act: Act) => Promise<boolean> {
  const queries = useQueryClient();
  const toast = useToast();
  return async function act(work, { done, undo, refresh }): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      toast({ error });
      return false;
    } finally {
      await queries.invalidateQueries({ queryKey: refresh });
    }
    if (done !== undefined) {
      toast({ text: done, ...(undo && { undo: () => void act(undo, { refresh }) }) });
    }
    return true;
  };
}
