import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useToast } from '../../../kit/toast.tsx';
import { keys } from '../../../lib/data/keys.ts';
import { uploadToThread } from '../../../lib/thread-files.ts';

/** Puts files into a thread, one request at a time, and returns which are on their way. */
export function useUploads(onUploaded: (threadId: string, names: string[]) => void) {
  const toast = useToast();
  const cache = useQueryClient();
  const [uploading, setUploading] = useState<string[]>([]);
  const upload = useCallback(
    async (threadId: string, files: File[]) => {
      const named = files.map(withName);
      const names = named.map(({ name }) => name);
      setUploading((before) => [...before, ...names]);
      try {
        const kept = await uploadToThread(threadId, named);
        onUploaded(
          threadId,
          kept.map(({ filename }) => filename),
        );
        void cache.invalidateQueries({ queryKey: [...keys.thread(threadId), 'uploads'] });
      } catch (error) {
        toast({ error });
      } finally {
        setUploading((before) => before.filter((name) => !names.includes(name)));
      }
    },
    [cache, onUploaded, toast],
  );
  return { uploading, upload };
}

/** A pasted picture has no name of its own, and every second one would replace the first. */
export function withName(file: File): File {
  if (file.name !== '' && file.name !== 'image.png') return file;
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 17);
  return new File([file], `pasted-${time}.png`, { type: file.type });
}
