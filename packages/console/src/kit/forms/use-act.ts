import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type ToastMessage, useToast } from '../toast.tsx';

interface Outcome<Result> {
  /** The message after it is done; without it there is no message. */
  done?: string | ((result: Result) => ToastMessage);
  /** Takes it back; offered for as long as the message stays. */
  undo?: () => Promise<unknown>;
  /** The queries that are read again, whether the action worked or not. */
  refresh?: readonly QueryKey[];
  /** Called when it is done, before anything is read again. */
  onDone?: (result: Result) => void;
}

/**
 * Does one thing at the gateway and shows the result in a message. `act` resolves to whether it worked. A form that
 * shows the refusal beside its fields uses a mutation of its own instead.
 */
export function useAct() {
  const queries = useQueryClient();
  const toast = useToast();
  const { mutateAsync, isPending } = useMutation({ mutationFn: (attempt: () => Promise<void>) => attempt() });
  const act = useCallback(
    async function act<Result>(work: () => Promise<Result>, outcome: Outcome<Result> = {}): Promise<boolean> {
      const { done, undo, refresh = [], onDone } = outcome;
      const attempt = async () => {
        let result: Result;
        try {
          result = await work();
          onDone?.(result);
        } catch (error) {
          toast({ error });
          throw error;
        } finally {
          await Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
        }
        if (done === undefined) return;
        const message = typeof done === 'string' ? { text: done } : done(result);
        toast({ ...(undo && { undo: () => void act(undo, { refresh }) }), ...message });
      };
      try {
        await mutateAsync(attempt);
        return true;
      } catch {
        return false; // the message has told why
      }
    },
    [queries, toast, mutateAsync],
  );
  return { act, isBusy: isPending };
}
