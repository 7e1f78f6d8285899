import { ConnectionError } from '@switchyard/client/errors';
import { readError } from '@switchyard/client/read-answer';
import type { FileRecipe } from '@switchyard/contract/dispatch/recipe';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { fileAddress } from '../../../kit/pictures/picture.ts';
import { useToast } from '../../../kit/toast.tsx';
import { setQuery, useQueryState } from '../../../lib/address.ts';
import { fileRecipeQuery } from '../../../lib/data/files.ts';

/** Puts the stored file that the address names (`ask`) beside the message. A deleted one is a message, and the page stays as it is. `take` is null where another part of the page takes it. */
export function useAskedFile(take: ((file: File) => void) | null): void {
  const toast = useToast();
  const cache = useQueryClient();
  const [asked] = useQueryState('ask');
  const current = useRef(take);
  current.current = take;
  const canTake = take !== null;
  useEffect(() => {
    if (asked === null || !canTake) return;
    const stopped = new AbortController();
    const load = async () => {
      try {
        const recipe = await cache.fetchQuery({ ...fileRecipeQuery(asked), retry: false });
        const file = await readStoredFile(recipe, stopped.signal);
        if (!stopped.signal.aborted) current.current?.(file);
      } catch (error) {
        if (stopped.signal.aborted) return;
        toast({ error });
      }
      setQuery({ ask: null });
    };
    void load();
    return () => stopped.abort();
  }, [asked, canTake, cache, toast]);
}

async function readStoredFile(
  { fileId, filename, contentType }: FileRecipe,
  signal: AbortSignal,
): Promise<File> {
  const response = await fetch(fileAddress({ fileId, filename }), { signal }).catch((cause: unknown) => {
    throw new ConnectionError('unreachable', 'The gateway did not send the file.', cause);
  });
  if (!response.ok) throw await readError(response);
  return new File([await response.blob()], filename, { type: contentType });
}
